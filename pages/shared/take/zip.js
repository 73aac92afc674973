// One zip of a figure and all its texts. The texts come from Python, the pictures from the chart
// on the screen, so it is put together here; fflate is fetched at the click.

const OF = "main"; // the chart's key
const boxes = new WeakMap();

// As Streamlit's own buttons; its classes are not for others.
const STYLE = `
.pv-zip button {
  width: 100%; min-height: 2.5rem; padding: 0.25rem 0.75rem; font: inherit; font-size: 0.875rem;
  cursor: pointer;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, 0.5rem);
}
.pv-zip button:hover { color: var(--st-primary-color); border-color: var(--st-primary-color); }
.pv-zip button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
.pv-zip button:disabled { opacity: 0.6; cursor: progress; }
.pv-zip span { display: block; font-size: 0.85rem; }
`;

export default function render({ data, parentElement }, chart, zipper) {
  let box = boxes.get(parentElement);
  if (!box) {
    box = build(parentElement, chart, zipper);
    boxes.set(parentElement, box);
  }
  box.sent = data;
  box.said.textContent = "";
}

function build(parent, chart, zipper) {
  if (!document.getElementById("pv-zip-style")) {
    const style = document.createElement("style");
    style.id = "pv-zip-style";
    style.textContent = STYLE;
    document.head.append(style);
  }
  const root = document.createElement("div");
  root.className = "pv-zip";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Everything in one zip";
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  root.append(button, said);
  parent.append(root);
  const box = { said };
  button.onclick = async () => {
    button.disabled = true;
    said.textContent = "Drawing and packing …";
    try {
      const { name, files } = JSON.parse(new TextDecoder().decode(box.sent));
      chart.offer(await pack(files, chart, zipper), `${name}.zip`);
      said.textContent = "The zip is with your downloads.";
    } catch (error) {
      said.textContent = `The zip could not be made (${error.message}). Reload the page to try again.`;
    }
    button.disabled = false;
  };
  return box;
}

async function pack(files, chart, zipper) {
  const [svg, png] = [await chart.image(OF, "svg"), await chart.image(OF, "png")];
  if (!window.fflate) await import(zipper);
  const { strToU8, zipSync } = window.fflate;
  const texts = { "figure.svg": svg, ...files };
  const packed = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, strToU8(text)]));
  packed["figure.png"] = [png, { level: 0 }]; // is compressed already
  return new Blob([zipSync(packed, { level: 6 })], { type: "application/zip" });
}
