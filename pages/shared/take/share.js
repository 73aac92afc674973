// The parts of the share dialog that only a browser can do: copy, preview, fill the screen.
// One component, three kinds; Streamlit calls `default` again with every change of the data.
// hall/code.js stands before this file.

const roots = new WeakMap(); // parentElement -> what is drawn there

export default function render({ data, parentElement }) {
  if (!data) return;
  let drawn = roots.get(parentElement);
  if (!drawn || drawn.kind !== data.kind) {
    parentElement.querySelector(".pv-share")?.remove();
    const root = element("div", "pv-share", parentElement);
    drawn = { kind: data.kind, update: KINDS[data.kind](root) };
    roots.set(parentElement, drawn);
  }
  drawn.update(data);
}

// --- copy ---------------------------------------------------------------------------------------

/** Put a text on the clipboard; true when it is there. */
async function copied(box) {
  try {
    await navigator.clipboard.writeText(box.value); // absent where the page came by plain http
    return true;
  } catch {
    box.focus();
    box.select();
    return document.execCommand("copy");
  }
}

function copy(root) {
  const row = element("div", "row", root);
  const box = element("textarea", "", row, { readOnly: true, spellcheck: false });
  const button = element("button", "main copy", row, { type: "button" });
  const open = element("a", "", row, { target: "_blank", rel: "noopener", textContent: "Open" });
  const note = element("p", "note", root);
  note.setAttribute("role", "status");
  let label, timer;
  const reset = () => {
    clearTimeout(timer);
    button.textContent = label;
    note.textContent = "";
    note.classList.remove("seen");
  };
  const fit = () => {
    box.style.height = "0";
    box.style.height = `${box.scrollHeight + 2}px`;
  };
  new ResizeObserver(() => {
    if (box.clientWidth !== box.lastWidth) fit();
    box.lastWidth = box.clientWidth;
  }).observe(box);
  box.onfocus = () => box.select();
  button.onclick = async () => {
    const done = await copied(box);
    if (done) button.focus();
    reset();
    note.textContent = done ? "Copied" : "The browser refused to copy. The text is selected: copy it with Ctrl+C or ⌘C.";
    note.classList.toggle("seen", !done);
    if (!done) return;
    button.textContent = "✓ Copied";
    timer = setTimeout(reset, 5000);
  };
  return (data) => {
    label = data.label;
    if (box.value !== data.text || button.textContent === "") {
      box.value = data.text;
      reset();
    }
    box.setAttribute("aria-label", data.name);
    open.hidden = !data.open;
    open.style.display = data.open ? "" : "none";
    open.href = data.open ? data.text : "#";
    requestAnimationFrame(fit);
  };
}

// --- preview ------------------------------------------------------------------------------------

const WIDE = 1000; // px that the embedded page believes to have on a wide screen
const SMALLEST = 0.62; // below this scale nothing can be read; the page gets narrower instead

function preview(root) {
  const caption = element("p", "caption", root);
  const frame = element("div", "frame", root);
  let inside, height;
  const fit = () => {
    if (!inside) return;
    const room = frame.clientWidth;
    const width = Math.min(WIDE, Math.round(room / SMALLEST));
    const scale = Math.min(1, room / width);
    inside.style.cssText = `width:${width}px;height:${height}px;transform:scale(${scale})`;
    frame.style.height = `${Math.round(height * scale)}px`;
    caption.textContent = `Live preview, ${width} px wide, at ${Math.round(100 * scale)}%`;
  };
  new ResizeObserver(fit).observe(frame);
  return (data) => {
    height = data.height;
    // Only our own server: whatever the address says, nothing else is ever asked.
    const same = new URL(data.src, location.href).origin === location.origin;
    if (!same) {
      inside?.remove();
      inside = undefined;
      frame.style.height = "0";
      caption.textContent = "There is no preview, because this page was opened under another address.";
      return;
    }
    if (inside?.src !== data.src) {
      inside?.remove();
      // A new node: a new address in the old one would be a step of the browser's Back button.
      inside = element("iframe", "", undefined, { src: data.src, title: data.title, tabIndex: -1 });
      inside.allow = "fullscreen";
      frame.append(inside);
    }
    fit();
  };
}

// --- QR code ------------------------------------------------------------------------------------

function qr(root) {
  const code = element("img", "code", root);
  const url = element("p", "url", root);
  const row = element("div", "row centre", root);
  const full = element("button", "main", row, { type: "button", textContent: "Full screen" });
  const save = element("a", "", row, { textContent: "Save as SVG" });

  const hall = largeCode(root);
  full.onclick = async () => {
    let ours = false; // whether we asked for the full screen
    try {
      // First: what goes to the full screen later would lie above the dialog.
      await document.documentElement.requestFullscreen();
      ours = true;
    } catch {} // no such thing on some telephones and in some frames: the window will do
    hall.open(() => {
      if (ours && document.fullscreenElement) document.exitFullscreen();
      ours = false;
      full.focus();
    });
  };
  const left = () => {
    if (!root.isConnected) document.removeEventListener("fullscreenchange", left);
    else if (!document.fullscreenElement) hall.close();
  };
  document.addEventListener("fullscreenchange", left);

  return (data) => {
    const source = `data:image/svg+xml,${encodeURIComponent(data.svg)}`;
    code.src = save.href = source;
    code.alt = `QR code of ${data.url}`;
    save.download = data.filename;
    url.replaceChildren(...broken(data.url));
    hall.update(data);
  };
}

const KINDS = { copy, preview, qr };
