// What stands above something else keeps in a drag the height that it had: words that take a line more
// at some stops would move the page, and on a phone the slider itself, under the hand.
//
// Part of the chart's program (static_files.py puts them together).

const STEADY = ".pv-cards, .pv-pinned, .pv-yours, .st-key-main :is(.pv-title, .pv-caption)";
const tallest = new Map(); // node that stays when words are sent anew -> {height, as: how wide, of how many parts}
let steadyFor; // of which figure, as its setting says

const sizes = new ResizeObserver((records) => {
  for (const { target, contentRect } of records) measured(target, contentRect);
});

/** Another figure has other words. */
function steady({ setting: { same } }) {
  if (same !== steadyFor) easeAll();
  steadyFor = same;
  watchHeights();
}

function watchHeights() {
  for (const node of document.querySelectorAll(STEADY)) sizes.observe(node);
}

function measured(node, { width, height }) {
  if (!node.isConnected) { // the server has sent others in its place
    sizes.unobserve(node);
    watchHeights();
    return;
  }
  const holder = node.closest(".pv-chart") ? node : node.parentElement;
  const as = `${Math.round(width)}/${node.childElementCount}`;
  const known = tallest.get(holder);
  if (known?.as === as) {
    if (height <= known.height) return;
    known.height = height;
    if (following?.root.dataset.frame) holder.style.minHeight = `${height}px`;
  } else {
    tallest.set(holder, { height, as });
    requestAnimationFrame(() => ease(holder)); // an observer may not change what it is told of
  }
}

/** From here on nothing gets lower. */
function holdHeights() {
  for (const [holder, { height }] of tallest) {
    if (!holder.isConnected) tallest.delete(holder);
    else if (holder.style.minHeight !== `${height}px`) holder.style.minHeight = `${height}px`;
  }
}

function ease(holder) {
  holder.style.minHeight = "";
}

function easeAll() {
  for (const holder of tallest.keys()) ease(holder);
  tallest.clear();
}
