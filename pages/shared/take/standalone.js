// The page around the chart in a file of its own: a slider over frames that were computed before.
// Stands behind chart.js and paper.js in one program.

const find = (name) => document.getElementById(`pv-${name}`);
const { frames, start, symbol, words } = JSON.parse(find("frames").textContent);

prepare(""); // Plotly is in the file
find("quiet").remove();
find("figure").replaceChildren();
document.querySelector(".slider").hidden = false;
const slider = find("slider");
const only = new Chart(find("figure"));

function move() {
  const frame = frames[Number(slider.value)];
  const text = `${symbol} = ${frame.text}`;
  find("value").textContent = text;
  slider.setAttribute("aria-valuetext", text);
  find("refused").hidden = !frame.refused;
  find("refused").textContent = frame.refused ?? "";
  find("figure").hidden = Boolean(frame.refused);
  if (frame.sent) only.receive(JSON.stringify({ ...frame.sent, link: frame.link }));
  const link = find("link");
  link.hidden = !frame.link;
  if (!frame.link) return;
  link.firstElementChild.href = frame.link;
  link.firstElementChild.textContent = frame.link;
}

slider.max = String(frames.length - 1);
slider.value = String(start);
slider.addEventListener("input", move);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => only.draw());
move();
