// Refreshes the content when the stream of changes tells of a change, and every five seconds where there is
// no stream. Without this script, reload the screen.
"use strict";

(() => {
  const pause = 5000; // without a stream
  const soonest = 2000; // between two looks
  const latest = 30000; // as some content changes without a change of the cluster
  const stream = new URL("../changes", document.currentScript.src);
  const status = document.getElementById("live");
  let tag = null;
  let paused = false;
  let source = null;
  let streams = false; // true while the stream tells of changes
  let changed = false;
  let looked = 0;

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

  // A hidden tab has no stream: a browser opens only a few connections to one server.
  function listen() {
    if (document.hidden) {
      if (source) {
        source.close();
      }
      source = null;
      streams = false;
      return;
    }
    if (source && source.readyState !== EventSource.CLOSED) {
      return;
    }
    source = new EventSource(stream);
    source.onopen = () => (streams = true);
    source.onerror = () => (streams = false); // the browser tries again, unless it was refused
    for (const each of ["read", "changed"]) {
      source.addEventListener(each, () => (changed = true));
    }
  }

  function again() {
    const wait = Date.now() - looked;
    if (wait >= (changed ? soonest : streams ? latest : pause)) {
      changed = isBusy() || paused ? changed : false;
      looked = Date.now();
      look().finally(() => setTimeout(again, 500));
    } else {
      setTimeout(again, 500);
    }
  }

  setInterval(listen, 60000); // again after a refusal
  document.addEventListener("visibilitychange", () => {
    listen();
    look();
  });
  listen();
  looked = Date.now();
  again();
})();
