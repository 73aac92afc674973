// The figure for paper, SVG or PNG: title, caption, sources and link around the plot, on white.
//
// Part of the chart's program (static_files.py puts them together). Plotly draws the plot alone;
// the words are set here, by their measured widths, so that none can run into legend or axes.

const PAPER = { width: 960, plot: 500, axes: 330, edge: 24 };
// How a page was shown to the one who saved the figure is no part of where to find it.
const SHOWING =
  ["present", "controls", "lecture", "scene", "predict", "guess", "tour", "room", "embed", "embed_options"];

/** The address of this page with its settings; nothing for a page that is a file. */
function pageLink() {
  const url = new URL(location.href);
  if (!/^https?:$/.test(url.protocol)) return "";
  for (const key of SHOWING) url.searchParams.delete(key);
  url.hash = "";
  return url.href.replaceAll("%2C", ",");
}

/** A picture of the chart with a key on this page: the text of an SVG, or the bytes of a PNG. */
export async function image(key, format) {
  const root = document.querySelector(`.st-key-${CSS.escape(key)} .pv-chart`);
  const chart = owners.get(root);
  if (!chart?.sent) throw new Error(`there is no figure ${key}`);
  const svg = await paper(chart);
  if (format === "svg") return svg;
  return new Uint8Array(await (await pixels(svg)).arrayBuffer());
}

/** Save the chart as a file. */
async function save(chart, format) {
  const svg = await paper(chart);
  const content = format === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await pixels(svg);
  offer(content, `${chart.sent.filename}.${format}`);
}

/** Have the browser save a Blob. */
export function offer(content, name) {
  const link = element("a", "", document.body);
  link.href = URL.createObjectURL(content);
  link.download = name.replace(/[^\p{L}\p{N}.,()_-]+/gu, "-").slice(0, 150);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function paper(chart) {
  const Plotly = await plotly;
  const { width, edge } = PAPER;
  const theme = { ...themeOf(chart.root), ...LIGHT };
  const { title, caption, credit = "", summary } = chart.sent;
  const link = chart.sent.link ?? pageLink();
  let height = PAPER.plot;
  let plot = await drawn(Plotly, chart, theme, height);
  // A long legend takes its room from the axes: then the paper is longer.
  const axes = Number(plot.querySelector('clipPath[id$="plot"] rect')?.getAttribute("height"));
  if (axes && axes < PAPER.axes) {
    height += Math.ceil(PAPER.axes - axes);
    plot = await drawn(Plotly, chart, theme, height);
  }

  const page = shape("svg", { xmlns: SVG, width, "font-family": theme.font });
  shape("title", {}, page, title);
  shape("desc", {}, page, [summary, caption, credit, link].filter(Boolean).join(" "));
  const ground = shape("rect", { width: "100%", fill: "#ffffff" }, page);
  let y = edge - 6;
  const write = (text, size, colour, weight = 400, between = " ") => {
    const font = `${weight} ${size}px ${theme.font}`;
    for (const line of lines(text, font, width - 2 * edge, between)) {
      y += Math.round(size * 1.35);
      shape("text", { x: edge, y, "font-size": size, "font-weight": weight, fill: colour },
        page, line);
    }
  };
  write(title, 19, theme.text, 650);
  y += 2;
  write(caption, 12.5, "#475063");
  y += 6;
  plot.setAttribute("x", edge / 2);
  plot.setAttribute("y", y);
  page.append(plot);
  y += height;
  write(credit, 11, "#5a6375");
  write(link.replace(/[&?.,]/g, "$&\n"), 11, "#5a6375", 400, "\n");
  y += edge - 8;
  page.setAttribute("height", y);
  page.setAttribute("viewBox", `0 0 ${width} ${y}`);
  ground.setAttribute("height", y);
  return new XMLSerializer().serializeToString(page);
}

/** The plot alone, as an SVG element. */
async function drawn(Plotly, chart, theme, height) {
  const width = PAPER.width - PAPER.edge;
  const figure = dress(chart.figure, {
    theme, width, height, scale: 1, revision: chart.revision, paper: true, all: chart.all,
  });
  asOnScreen(figure, chart.plot);
  figure.layout.paper_bgcolor = figure.layout.plot_bgcolor = "#ffffff";
  figure.layout.margin = { l: 12, r: 12, b: 12, t: 12 };
  const url = await Plotly.toImage(figure, { format: "svg", width, height });
  const text = decodeURIComponent(url.slice(url.indexOf(",") + 1));
  return new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
}

/** What is on the screen: its zoom, its hidden curves. */
function asOnScreen(figure, plot) {
  for (const [key, axis] of Object.entries(plot._fullLayout ?? {})) {
    if (/^[xy]axis\d*$/.test(key) && figure.layout[key] && axis.range) {
      figure.layout[key].range = [...axis.range];
      figure.layout[key].autorange = false;
    }
  }
  (plot._fullData ?? []).forEach((trace, index) => {
    if (figure.data[index]) figure.data[index].visible = trace.visible;
  });
  unlist(figure, plot);
}

/** Take from the legend of a figure what is hidden on the screen: a click on paper does not show it. */
function unlist({ data }, { _fullData: drawn = [] }) {
  drawn.forEach(({ visible }, index) => {
    if (data[index] && visible === "legendonly") data[index].showlegend = false;
  });
}

async function pixels(svg) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const sheet = element("canvas");
  [sheet.width, sheet.height] = [2 * picture.width, 2 * picture.height];
  sheet.getContext("2d").drawImage(picture, 0, 0, sheet.width, sheet.height);
  return new Promise((resolve, reject) => {
    sheet.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
  });
}

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes, parent, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name !== "xmlns") node.setAttribute(name, value);
  }
  if (text) node.textContent = text;
  parent?.append(node);
  return node;
}

/** Plain text broken into lines that fit, between words; a word too long for any line is cut. */
function lines(text, font, width, between) {
  if (!text) return [];
  const glue = between === " " ? " " : "";
  canvas.font = font;
  const fits = (words) => canvas.measureText(words).width <= width;
  const found = [""];
  for (const word of text.split(between)) {
    const longer = found.at(-1) ? found.at(-1) + glue + word : word;
    if (fits(longer)) {
      found[found.length - 1] = longer;
      continue;
    }
    if (found.at(-1)) found.push("");
    let rest = word;
    while (!fits(rest)) {
      let end = rest.length;
      while (end > 1 && !fits(rest.slice(0, end))) end -= 1;
      found[found.length - 1] = rest.slice(0, end);
      found.push("");
      rest = rest.slice(end);
    }
    found[found.length - 1] = rest;
  }
  return found.filter(Boolean);
}
