// How many phones are in the room and have answered, once a second; a click shows the code that lets
// phones in, and so does a room that was opened just now. code.js stands before this file.

const boxes = new WeakMap();
const own = document.querySelector('script[src*="static/js/"]')?.src;
const base = own ? new URL("../../", own) : document.baseURI;

export default function render({ data, parentElement }) {
  if (!data) return undefined;
  let box = boxes.get(parentElement);
  if (!box) {
    box = build(parentElement);
    boxes.set(parentElement, box);
  }
  box.data = data;
  box.letters.textContent = data.code;
  box.large.update(data);
  if (data.opened && box.opened !== data.code) {
    box.opened = data.code; // once, however often the same is drawn
    box.large.open();
  }
  ask(box);
  return undefined;
}

function build(parent) {
  const root = element("p", "pv-room", parent);
  const button = element("button", "", root, { type: "button", title: "Show the code" });
  const letters = element("strong", "", button);
  const said = element("span", "", root);
  said.setAttribute("role", "status");
  const large = largeCode(parent);
  button.onclick = () => large.open();
  return { root, letters, said, large };
}

async function ask(box) {
  clearTimeout(box.timer);
  const { code, secret } = box.data;
  try {
    const answer = await fetch(new URL(`room/${code}/screen`, base), {
      headers: { "X-Room-Secret": secret },
      cache: "no-store",
    });
    if (code !== box.data.code) return;
    write(box, answer.ok ? words(await answer.json()) : "the room does not answer");
  } catch {
    write(box, "no connection");
  }
  if (box.root.isConnected) box.timer = setTimeout(ask, 1000, box);
}

function write({ said }, text) {
  if (said.textContent !== text) said.textContent = text;
}

function words({ phase, joined, committed, lost, silent, stopped }) {
  const phones = (count) => (count === 1 ? "1 phone" : `${count.toLocaleString("en-US")} phones`);
  const parts = lost ? [`the room began anew, ${phones(lost)} not back yet`] : [];
  parts.push(phones(joined));
  if (phase === "asked" || phase === "revealed") parts.push(`${committed.toLocaleString("en-US")} answered`);
  if (silent) parts.push(`${silent.toLocaleString("en-US")} not connected`);
  if (stopped) parts.push("no new ones");
  if (phase === "closed") parts.push("closed");
  return parts.join(" · ");
}
