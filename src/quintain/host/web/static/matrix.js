// Draws the matrix of a track as a heat map that people can point at and zoom into.
// Without it, or without JavaScript, the table below shows the same figures.
"use strict";

(() => {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const leaks = ["leak-0", "leak-1", "leak-2", "leak-3", "leak-4", "leak-5"].map(colour);
  // Dark cells carry pale figures, and the other way round on a dark page.
  const shades = ["on-pale", "on-pale", "on-pale", "", "on-strong", "on-strong"];
  const inks = shades.map((name) => (name ? colour(name) : "#14181f"));
  const text = (value) => (value === null ? "?" : String(Math.round(value * 1000) / 1000));

  function options(data) {
    const values = data.cells.map((cell) => cell[2]);
    const low = Math.min(...values, data.chance ?? Infinity);
    const high = Math.max(...values, data.chance ?? -Infinity);
    const few = data.cells.length <= 150;
    const lucky = new Set(data.luck);
    const share = (value) => (high > low ? (value - low) / (high - low) : 0);
    const leak = (value) => Math.round(5 * (data.better === "lower" ? share(value) : 1 - share(value)));
    return {
      animation: false,
      textStyle: { fontFamily: "inherit", color: colour("ink") },
      aria: { enabled: false },
      grid: { left: 8, right: 8, top: 8, bottom: 70, containLabel: true },
      tooltip: {
        renderMode: "richText", // the policy of the site allows no inline style
        backgroundColor: colour("card"),
        borderColor: colour("line"),
        textStyle: { color: colour("ink") },
        formatter: (hit) => {
          const [attacker, entry, value, from, to] = hit.value;
          const luck = lucky.has(hit.dataIndex) ? "\ncould be luck" : "";
          const span = from === to ? "" : `\ninterval ${text(from)} to ${text(to)}`;
          return `${data.attackers[attacker]} on ${data.entries[entry]}\n${data.measure.replaceAll("_", " ")} ${text(value)}${span}${luck}`;
        },
      },
      xAxis: { type: "category", data: data.attackers, axisLabel: { rotate: 40, width: 110, overflow: "truncate", color: colour("ink"), interval: few ? 0 : "auto" } },
      yAxis: { type: "category", data: data.entries, inverse: true, axisLabel: { width: 130, overflow: "truncate", color: colour("ink"), interval: few ? 0 : "auto" } },
      visualMap: { min: low, max: high, calculable: true, orient: "horizontal", left: "center", bottom: 0, precision: 2, textStyle: { color: colour("ink") }, inRange: { color: data.better === "lower" ? leaks : leaks.slice().reverse() } },
      dataZoom: few ? [] : [{ type: "inside", xAxisIndex: 0 }, { type: "inside", yAxisIndex: 0 }],
      series: [{ type: "heatmap", data: data.cells.map((cell) => ({ value: cell, label: { color: inks[leak(cell[2])] } })), encode: { x: 0, y: 1, value: 2 }, label: { show: few, formatter: (cell) => text(cell.value[2]) }, itemStyle: { borderColor: colour("card"), borderWidth: 1 } }],
    };
  }

  async function draw(element) {
    const answer = await fetch(element.dataset.matrix, { credentials: "same-origin" });
    if (!answer.ok) return;
    const data = await answer.json();
    const chart = window.echarts.init(element, null, { renderer: "svg" });
    chart.setOption(options(data));
    window.addEventListener("resize", () => chart.resize());
  }

  // A chart is drawn when somebody opens it.
  for (const details of document.querySelectorAll("details.zoom")) {
    const element = details.querySelector("[data-matrix]");
    details.hidden = false;
    if (details.open) draw(element);
    else details.addEventListener("toggle", () => draw(element), { once: true });
  }
})();
