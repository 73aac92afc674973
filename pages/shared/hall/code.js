// A QR code as large as the screen: part of the share dialog's program and of the presenter's.

function element(tag, className, parent, properties = {}) {
  const node = Object.assign(document.createElement(tag), properties);
  if (className) node.className = className;
  parent?.append(node);
  return node;
}

/** An address, broken where a reader would break it. */
function broken(url) {
  return url.match(/[^?&,]*[?&,]|[^?&,]+$/g).flatMap((part) => [part, document.createElement("wbr")]);
}

function largeCode(root) {
  const hall = element("dialog", "pv-code", root);
  const large = element("img", "code", hall, { alt: "" });
  const words = element("div", "words", hall);
  const title = element("h2", "", words, { id: `pv-code-title-${document.querySelectorAll(".pv-code").length}` });
  element("p", "", words, { textContent: "Scan the code, or open" });
  const address = element("p", "address", words);
  const note = element("p", "note", words);
  const close = element("button", "", words, { type: "button", textContent: "Close" });
  hall.setAttribute("aria-labelledby", title.id);
  close.onclick = () => hall.close();
  // Escape closes this one, not the dialog of the page around it.
  hall.onkeydown = (event) => {
    event.stopPropagation();
    if (event.key !== "Escape") return;
    event.preventDefault();
    hall.close();
  };
  return {
    update({ svg, url, title: heading, note: said = "" }) {
      large.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      title.textContent = heading;
      address.replaceChildren(...broken(url));
      address.classList.toggle("long", url.length > 120);
      note.textContent = said;
    },
    open(after) {
      hall.onclose = after ?? null;
      hall.showModal();
      close.focus();
    },
    close() {
      if (hall.open) hall.close();
    },
  };
}

