// Says what a cell of a heat map says: to people who point at it, and to people who walk through
// the cells with the arrow keys. Without JavaScript, the browser shows the title of a cell: its
// reading. The page gives this script its words in the language of the reader.
"use strict";

(() => {
  const words = document.currentScript.dataset;
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const note = document.createElement("div"); // for eyes: beside the cell
  note.className = "cell-note";
  note.hidden = true;
  note.setAttribute("aria-hidden", "true");
  const voice = document.createElement("p"); // for ears: a live region
  voice.className = "hidden";
  voice.setAttribute("role", "status");
  document.body.append(note, voice);
  let place = null; // gives the rectangle of the cell that the note belongs to

  function show(text, rectangle) {
    place = rectangle;
    note.textContent = text;
    note.hidden = false;
    move();
  }

  function speak(text) {
    voice.textContent = text.replaceAll("\n", "; ");
  }

  function hide() {
    place = null;
    note.hidden = true;
  }

  // Below the cell if there is room, else above; never over the edge of the window.
  function move() {
    if (!place) return;
    const cell = place();
    note.style.left = "0"; // else the edge of the window would narrow it
    const { width, height } = note.getBoundingClientRect();
    const below = cell.bottom + 6;
    const top = below + height > innerHeight ? Math.max(0, cell.top - height - 6) : below;
    const left = Math.min(cell.left, document.documentElement.clientWidth - width - 6);
    note.style.top = `${top}px`;
    note.style.left = `${Math.max(6, left)}px`;
  }

  // Where a key leads in a grid; null for all other keys.
  function step(event, [row, column], [rows, columns]) {
    const end = event.ctrlKey;
    const [i, j] = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [end ? 0 : row, 0],
      End: [end ? rows - 1 : row, columns - 1],
    }[event.key] ?? [null, null];
    if (i === null || event.altKey || event.metaKey) return null;
    event.preventDefault(); // else the page would scroll as well
    return [Math.min(rows - 1, Math.max(0, i)), Math.min(columns - 1, Math.max(0, j))];
  }

  function openTable(table) {
    const names = [...table.tHead.rows[0].cells].slice(1);
    const lines = [...table.tBodies[0].rows];
    const cells = lines.map((line) => [...line.cells].slice(1));
    if (!names.length || !lines.length) return;
    let at = [0, 0];
    let marked = [];
    table.setAttribute("role", "grid"); // cells take the focus, one after the other
    // Notes are made when somebody asks, of the title of a cell and of what all cells share.
    const text = ([row, column]) => {
      const cell = cells[row][column], own = cell.dataset.title.split("\n");
      const [attacker, entry] = [names[column], lines[row].cells[0]].map(
        (head) => head.querySelector("bdi").textContent);
      const pair = fill(words.pair, { attacker, entry });
      if (cell.classList.contains("own")) return `${pair}\n${words.own}`;
      if (cell.classList.contains("missing"))
        return `${pair}\n${[...cell.childNodes].map((node) => node.textContent).join(": ")}`;
      const facts = own.length > 1 ? own.slice(1) : [table.dataset.usual];
      const luck = cell.classList.contains("luck") ? [words.luck] : [];
      return [pair, `${table.dataset.measure} ${own[0]}`, ...facts, ...luck].join("\n");
    };
    for (const cell of cells.flat()) {
      cell.dataset.title = cell.title;
      cell.removeAttribute("title");
      cell.tabIndex = -1;
    }
    cells[0][0].tabIndex = 0;

    const find = (target) => {
      const row = lines.indexOf(target.closest("tr"));
      const column = row < 0 ? -1 : cells[row].indexOf(target.closest("td"));
      return column < 0 ? null : [row, column];
    };
    const mark = (heads) => {
      for (const head of marked) head.classList.remove("at");
      for (const head of heads) head.classList.add("at");
      marked = heads;
    };
    const say = (place) => {
      const [row, column] = place, cell = cells[row][column];
      mark([names[column], lines[row].cells[0]]);
      show(text(place), () => cell.getBoundingClientRect());
      return cell;
    };
    const rest = () => {
      mark([]);
      hide();
    };

    table.addEventListener("pointerover", (event) => {
      const found = find(event.target);
      if (found) say(found);
    });
    table.addEventListener("pointerleave", rest);
    table.addEventListener("focusin", (event) => {
      const found = find(event.target);
      if (!found) return;
      cells[at[0]][at[1]].tabIndex = -1;
      at = found;
      const cell = say(at);
      cell.tabIndex = 0;
      speak(text(at));
    });
    table.addEventListener("focusout", rest);
    table.addEventListener("keydown", (event) => {
      const next = find(event.target) && step(event, at, [lines.length, names.length]);
      if (next) cells[next[0]][next[1]].focus();
    });
  }

  // The picture of a large matrix has no cells; where they are follows from their number.
  function openPicture(frame) {
    const picture = frame.querySelector("svg");
    const [rows, columns] = ["rows", "columns"].map((key) => frame.dataset[key].split(" ").map(Number));
    const cursor = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const { width, height } = picture.viewBox.baseVal;
    const size = [height / rows.length, width / columns.length];
    cursor.setAttribute("class", "at");
    cursor.setAttribute("width", size[1]);
    cursor.setAttribute("height", size[0]);
    picture.tabIndex = 0;
    picture.setAttribute("role", "application"); // so that screen readers leave the keys to us
    picture.setAttribute("focusable", "true");
    let at = [0, 0];
    let matrix = null;

    // The figures come when somebody asks for them.
    const load = () => {
      matrix ??= fetch(frame.dataset.matrix, { credentials: "same-origin" })
        .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
        .then((data) => [data, new Map(data.cells.map((cell, i) => [`${cell[1]} ${cell[0]}`, i]))]);
      return matrix;
    };
    const text = async ([row, column]) => {
      const [data, places] = await load();
      const [entry, attacker] = [rows[row], columns[column]];
      const pair = fill(words.pair, { attacker: data.attackers[attacker], entry: data.entries[entry] });
      const found = places.get(`${entry} ${attacker}`);
      if (found === undefined) return `${pair}\n${words.missing}`;
      const [, , value, low, high] = data.cells[found];
      const lines = [pair, `${data.measure.replaceAll("_", " ")} ${digits(value)}`];
      if (low !== high) lines.push(fill(words.span, { low: digits(low), high: digits(high) }));
      if (data.luck.includes(found)) lines.push(words.luck);
      return lines.join("\n");
    };
    const say = async (here, aloud) => {
      at = here;
      cursor.setAttribute("x", at[1] * size[1]);
      cursor.setAttribute("y", at[0] * size[0]);
      picture.append(cursor);
      const words = await text(here);
      if (at !== here || !cursor.isConnected) return; // somebody went on meanwhile
      show(words, () => cursor.getBoundingClientRect());
      if (aloud) speak(words);
    };
    const rest = () => {
      cursor.remove();
      hide();
    };

    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const row = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
      const column = Math.floor(((event.clientX - box.left) / box.width) * columns.length);
      const inside = row >= 0 && column >= 0 && row < rows.length && column < columns.length;
      if (inside && !(cursor.isConnected && row === at[0] && column === at[1])) say([row, column], false);
    });
    picture.addEventListener("pointerleave", rest);
    picture.addEventListener("focus", () => say(at, true));
    picture.addEventListener("blur", rest);
    picture.addEventListener("keydown", (event) => {
      const next = step(event, at, [rows.length, columns.length]);
      if (!next) return;
      say(next, true);
      cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }

  function digits(value) {
    return value === null ? "?" : String(Math.round(value * 1000) / 1000).replace("-", "−");
  }

  document.querySelectorAll("table.heat").forEach(openTable);
  document.querySelectorAll("[data-matrix]").forEach(openPicture);
  for (const hint of document.querySelectorAll("[data-heat-hint]")) hint.hidden = false;
  addEventListener("scroll", move, true);
  addEventListener("resize", move);
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
})();
