// Small things that every page has; pages work without them.
"use strict";

(() => {
  // A countdown is text on the server; here it ticks. Other languages keep the server's text.
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

  function words(seconds) {
    if (seconds <= 0) return "now";
    const first = Math.max(0, units.findIndex(([, size]) => seconds >= size));
    let left = seconds;
    const parts = [];
    for (const [name, size] of units.slice(first, first + 2)) {
      const count = Math.floor(left / size);
      left -= count * size;
      parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
    }
    return "in " + parts.join(" and ");
  }

  function tick() {
    for (const element of document.querySelectorAll(".countdown[data-until]")) {
      const seconds = Math.floor((Date.parse(element.dataset.until) - Date.now()) / 1000);
      const text = words(seconds);
      if (element.textContent !== text) element.textContent = text;
    }
  }

  // Times are in UTC; whoever lives elsewhere reads the local time beside each.
  function showLocalTimes() {
    const language = document.documentElement.lang;
    const region = navigator.languages.find((name) => name.startsWith(`${language}-`));
    const here = new Intl.DateTimeFormat(region ?? language, {
      month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
    });
    for (const element of document.querySelectorAll("time[datetime]:not(:has(.local))")) {
      const moment = new Date(element.dateTime);
      if (!moment.getTimezoneOffset() || !element.textContent.includes("UTC")) continue;
      const local = document.createElement("span");
      local.className = "local";
      local.textContent = `(${here.format(moment)})`;
      element.append(" ", local);
    }
  }

  showLocalTimes();
  document.addEventListener("htmx:afterSettle", showLocalTimes);

  // On a phone, a row of tabs is wider than the page: the open tab has to be seen.
  for (const open of document.querySelectorAll('.tabs a[aria-current="page"]')) {
    const row = open.closest("ul");
    row.scrollLeft += open.getBoundingClientRect().right - row.getBoundingClientRect().right + 24;
  }

  // A form that asks first: <form data-confirm="Reveal everything?">
  document.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !window.confirm(question)) event.preventDefault();
  });

  // A button that copies a text: <button data-copy="#id" data-copied="Copied">
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button || !navigator.clipboard) return;
    navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent.trim());
    button.textContent = button.dataset.copied;
  });

  if (document.documentElement.lang === "en" && document.querySelector(".countdown[data-until]")) {
    tick();
    setInterval(tick, 1000);
  }
})();
