// Refreshes the content every five seconds, if the screen changed. Without this script, reload the screen.
"use strict";

(() => {
  const pause = 5000;
  const status = document.getElementById("live");
  let tag = null;
  let paused = false;

  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Pause";
  button.addEventListener("click", () => {
    paused = !paused;
    button.textContent = paused ? "Continue" : "Pause";
    say(paused ? "Paused." : "");
  });
  status.after(" ", button);

  function say(text) {
    if (status.textContent !== text) {
      status.textContent = text;
    }
  }

  function isBusy() {
    const active = document.activeElement;
    const typing = active && active.closest("main") && active.matches("input, select, textarea");
    return typing || String(document.getSelection()) !== "";
  }

  // Keeps what the reader has scrolled and focused.
  function show(fresh) {
    const old = document.getElementById("content");
    const scrolled = [...old.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    const links = [...old.querySelectorAll("a, button, [tabindex]")];
    const focused = links.indexOf(document.activeElement);
    const next = fresh.getElementById("content");
    old.replaceChildren(...next.childNodes);
    old.querySelectorAll(".scroll").forEach((each, i) => (each.scrollLeft = scrolled[i] || 0));
    if (focused >= 0) {
      const now = old.querySelectorAll("a, button, [tabindex]")[focused];
      if (now) {
        now.focus({ preventScroll: true });
      }
    }
    document.querySelector("footer time").replaceWith(fresh.querySelector("footer time"));
    document.title = fresh.title;
  }

  async function look() {
    if (paused || document.hidden || isBusy()) {
      return;
    }
    try {
      const answer = await fetch(location.href, { cache: "no-cache", credentials: "same-origin" });
      const html = await answer.text();
      if (!(answer.headers.get("Content-Type") || "").startsWith("text/html")) {
        throw new Error("no screen");
      }
      const known = answer.headers.get("ETag");
      if (known === null || known !== tag) {
        show(new DOMParser().parseFromString(html, "text/html"));
        tag = known;
      }
      say(answer.ok ? "Live." : "");
    } catch (problem) {
      say("Muster does not answer. This is what it last said.");
    }
  }

  function again() {
    setTimeout(() => look().finally(again), pause);
  }

  document.addEventListener("visibilitychange", look);
  again();
})();
