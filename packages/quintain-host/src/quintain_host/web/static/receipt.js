// Checks a receipt in the browser: nothing is sent anywhere.
//
// A receipt has the line of an event, a proof that the line is in the tree of the journal (RFC 9162,
// section 2.1.3), and a checkpoint: the size and the root of the tree, signed with Ed25519 as a note
// (c2sp.org/signed-note). Every rule here is one of quintain.journal.receipt; tests compare the two.
"use strict";

(() => {
  const FORMAT = "quintain.receipt/1";
  const LONGEST = 1_000_000;
  const LONGEST_NOTE = 100_000;
  const NAME = /^[^\s+\p{C}]+$/u;
  const PRIME = 2n ** 255n - 19n;
  const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
  // The points of order 1, 2, 4 and 8, by y. With such a public key, anybody can sign something.
  const WEAK = [0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8];
  const bytes = new TextEncoder();

  class Wrong extends Error {}

  function demand(condition, sentence) {
    if (!condition) throw new Wrong(sentence);
  }

  function joined(...parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }

  async function sha256(...parts) {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
  }

  function hex(content) {
    return Array.from(content, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  function fromHex(text) {
    return Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
  }

  function fromBase64(text) {
    let raw = "";
    try {
      raw = atob(text);
    } catch {
      raw = "";
    }
    demand(raw && btoa(raw) === text, "the checkpoint has text that is not Base64");
    return Uint8Array.from(raw, (letter) => letter.charCodeAt(0));
  }

  function parsed(text, what) {
    let value = null;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Wrong(`${what} is not JSON`);
    }
    demand(value && typeof value === "object" && !Array.isArray(value), `${what} is not JSON`);
    return value;
  }

  function readReceipt(text) {
    demand(text.length <= LONGEST, "the file is too large for a receipt");
    const fields = parsed(text, "the file");
    demand(fields.format === FORMAT, `the file does not say that its format is ${FORMAT}`);
    const names = Object.keys(fields).sort().join(" ");
    demand(names === "checkpoint format line proof", "the file has other fields than a receipt");
    const { line, proof, checkpoint } = fields;
    demand(typeof line === "string" && typeof checkpoint === "string", "line and checkpoint must be text");
    demand(!/\p{Surrogate}/u.test(line), "the line has half a character");
    const hash = (one) => typeof one === "string" && /^[0-9a-f]{64}$/.test(one);
    demand(Array.isArray(proof) && proof.every(hash), "the proof must be a list of hashes");
    return { line: bytes.encode(line), event: parsed(line, "the line"), proof: proof.map(fromHex), checkpoint };
  }

  function readNote(text) {
    demand(text.length <= LONGEST_NOTE, "the checkpoint is too long");
    demand(!/[\x00-\x09\x0b-\x1f\x7f-\x9f]|\p{Surrogate}/u.test(text), "the checkpoint has a control character");
    const end = text.lastIndexOf("\n\n");
    demand(end >= 0 && text.endsWith("\n"), "the checkpoint has no signature");
    const body = text.slice(0, end + 1);
    const lines = body.slice(0, -1).split("\n");
    demand(lines.length >= 3 && lines.every(Boolean), "the checkpoint needs three lines: origin, size and root");
    const [origin, size, root] = lines;
    demand(NAME.test(origin), "the checkpoint has no proper origin");
    demand(/^(0|[1-9][0-9]{0,15})$/.test(size) && Number.isSafeInteger(Number(size)), "the size of the checkpoint is no number");
    const hash = fromBase64(root);
    demand(hash.length === 32, "the root of the checkpoint does not have 32 bytes");
    const signatures = text.slice(end + 2, -1).split("\n").map(readSignature);
    return { body: bytes.encode(body), origin, size: Number(size), root: hash, signatures };
  }

  function readSignature(line) {
    const [dash, name, content, ...more] = line.split(" ");
    demand(dash === "—" && content && !more.length && NAME.test(name), "the checkpoint has a line that is no signature");
    const signature = fromBase64(content);
    return { name, id: hex(signature.slice(0, 4)), signature: signature.slice(4) };
  }

  function isWeak(key) {
    const y = BigInt(`0x${hex(key.slice().reverse())}`) & (2n ** 255n - 1n);
    return WEAK.includes(y % PRIME);
  }

  async function checkSignature(note, key) {
    demand(!isWeak(key), "this public key is weak: anybody can sign with it");
    const id = hex((await sha256(bytes.encode(note.origin), Uint8Array.of(10, 1), key)).slice(0, 4));
    const own = note.signatures.filter((one) => one.name === note.origin && one.id === id);
    demand(own.length, "this public key did not sign the checkpoint");
    const imported = await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
    for (const one of own) {
      const good = await crypto.subtle.verify({ name: "Ed25519" }, imported, one.signature, note.body);
      demand(good, "the signature of the checkpoint is wrong");
    }
  }

  async function checkInclusion(receipt, note) {
    const number = receipt.event.number;
    demand(Number.isSafeInteger(number) && number >= 1 && number <= note.size, "the number of the event does not fit the checkpoint");
    let index = number - 1;
    let last = note.size - 1;
    let hash = await sha256(Uint8Array.of(0), receipt.line);
    for (const beside of receipt.proof) {
      demand(last > 0, "the proof is too long");
      if (index % 2 === 1 || index === last) {
        hash = await sha256(Uint8Array.of(1), beside, hash);
        while (index % 2 === 0 && index !== 0) {
          index = Math.floor(index / 2);
          last = Math.floor(last / 2);
        }
      } else {
        hash = await sha256(Uint8Array.of(1), hash, beside);
      }
      index = Math.floor(index / 2);
      last = Math.floor(last / 2);
    }
    demand(last === 0, "the proof is too short");
    demand(hex(hash) === hex(note.root), "the event is not in the journal that the checkpoint is about");
  }

  async function canCheck() {
    if (!globalThis.crypto || !crypto.subtle) {
      return "Browsers check signatures only on pages that come over https, or from this machine.";
    }
    try {
      await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
    } catch {
      return "Your browser cannot check signatures of this kind (Ed25519).";
    }
    return "";
  }

  async function check(text, key, origin) {
    demand(/^[0-9a-f]{64}$/.test(key), "the public key has 64 hexadecimal digits");
    const receipt = readReceipt(text);
    const note = readNote(receipt.checkpoint);
    demand(!origin || note.origin === origin, `this receipt is of another contest: ${note.origin}`);
    await checkSignature(note, fromHex(key));
    await checkInclusion(receipt, note);
    return { event: receipt.event, note };
  }

  // --- the page ---------------------------------------------------------------------------------

  const form = document.getElementById("receipt-form");
  const result = document.getElementById("receipt-result");
  const contest = document.getElementById("f-contest");
  const keyField = document.getElementById("f-key");

  function element(tag, text, css) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (css) made.className = css;
    return made;
  }

  function show(good, sentence, facts = []) {
    const status = element("p");
    status.append(element("span", good ? "✓ The receipt is valid. " : "✕ Not verified: ", good ? "status accepted good" : "status refused bad"));
    status.append(sentence);
    const list = element("dl", "", "facts");
    for (const [name, value] of facts) list.append(element("dt", name), element("dd", String(value)));
    result.replaceChildren(element("h2", "Result"), status, ...(facts.length ? [list] : []));
    result.dataset.valid = String(good);
  }

  function facts({ event, note }) {
    const files = Object.entries(event.files || {}).map(([name, digest]) => `${name}: ${digest}`);
    return [
      ["Contest", note.origin],
      ["Event", event.number],
      ["Time", event.time],
      ["Team", event.team],
      ["Track and phase", `${event.track}, ${event.phase}`],
      ["Files (SHA-256)", files.join(", ")],
      ["Journal", `${note.size} events, root ${hex(note.root)}`],
    ];
  }

  function fill() {
    keyField.value = contest.value;
  }

  async function submit(event) {
    event.preventDefault();
    const file = document.getElementById("f-receipt").files[0];
    const unable = await canCheck();
    if (unable) {
      show(false, `${unable} Use the command below.`);
      return;
    }
    try {
      const origin = contest.selectedOptions[0]?.dataset.origin || "";
      const known = contest.value && contest.value === keyField.value.trim();
      const text = await file.text();
      const checked = await check(text, keyField.value.trim(), known ? origin : "");
      show(true, "The organisers signed it, and the event is in their journal.", facts(checked));
    } catch (problem) {
      const sentence = problem instanceof Wrong ? problem.message : "the browser could not check it";
      show(false, `${sentence}.`);
    }
  }

  fill();
  contest.addEventListener("change", fill);
  form.addEventListener("submit", submit);
})();
