// The slider under a hand, drawn here while the figure has its strip.
//
// At every move Streamlit's slider renders itself anew, with a style sheet of its own for the new
// place: on a phone that takes longer than a stop of a fast drag. So moves are kept from it, and
// what it would show is set on its nodes. It counts in differences from the last move that it saw:
// one move, just before the hand is lifted, tells it of all.
//
// Part of the chart's program (static_files.py puts them together).

let hand; // {name, pointer, root, from: x of the press, first: its place, slider: nodes and measures}

function grip({ target, button, pointerId, pageX }) {
  const name = button === 0 ? sliderAt(target) : undefined;
  hand = name && { name, pointer: pointerId, root: target.closest(".stSlider"), from: pageX };
}

/** Follow a move; the slider hears of the first one, and of all while there is no strip. */
function follows(event) {
  if (!hand || event.pointerId !== hand.pointer) return;
  if (hand.first === undefined) {
    hand.first = Number(inputOf(hand.name)?.value);
    want(hand.name, 0);
    return;
  }
  const words = kept.get(following?.setting?.sliders[hand.name]?.key)?.words;
  if (!words) return;
  hand.slider ??= nodesOfSlider(hand.root);
  const { slider } = hand;
  if (!slider || slider.most !== words.length - 1) return;
  event.stopImmediatePropagation();
  hand.last = event;
  const share = hand.first / slider.most + (event.pageX - hand.from) / slider.width;
  const place = Math.round(Math.min(1, Math.max(0, share)) * slider.most);
  if (place === hand.place) return;
  hand.place = place;
  hand.words = words[place];
  want(hand.name, 0);
  moved();
}

/** Show where the hand is, with the figure: what is set earlier has the browser lay the page out twice. */
function putHand() {
  if (hand?.words === undefined) return;
  put(hand.slider, hand.place, hand.words);
  hand.words = undefined;
}

/** Keep from a slider what the pointer crosses of it: the thumb comes after the hand. */
function within(event) {
  const root = hand?.root;
  if (root?.contains(event.target) && root.contains(event.relatedTarget)) event.stopImmediatePropagation();
}

/** Tell the slider where the hand has got to, before it learns that the hand is lifted. */
function letGo({ pointerId }) {
  if (!hand || pointerId !== hand.pointer) return;
  putHand();
  const { last, place, slider } = hand;
  hand = undefined;
  following?.rest(); // it may have been lifted where the server's figure is
  wantStop();
  if (!last) return;
  const { clientX, clientY, pointerType, isPrimary } = last;
  last.target.dispatchEvent(new PointerEvent("pointermove",
    { bubbles: true, composed: true, buttons: 1, pointerId, pointerType, isPrimary, clientX, clientY }));
  // Its own track comes with its next rendering, if there is one.
  const given = new MutationObserver(() => {
    given.disconnect();
    slider.fill.style.backgroundImage = "";
  });
  if (place === slider.at) slider.fill.style.backgroundImage = "";
  else given.observe(slider.fill, { attributes: true, attributeFilter: ["class"] });
}

/** What there is of a slider, measured once; undefined where it is built in another way. */
function nodesOfSlider(root) {
  const input = root?.querySelector('input[type="range"]');
  const said = root?.querySelector('[data-testid="stSliderThumbValue"]');
  const thumb = said?.parentElement;
  const track = thumb?.parentElement;
  const text = said && document.createTreeWalker(said, NodeFilter.SHOW_TEXT).nextNode();
  if (!text || !thumb.contains(input) || text.data !== input.getAttribute("aria-valuetext")) return undefined;
  const fill = track.firstElementChild;
  const [all, along, knob] = [root, track, thumb].map((node) => node.getBoundingClientRect());
  return { input, said, thumb, text, fill, width: along.width, most: Number(input.max), at: Number(input.value),
    image: getComputedStyle(fill).backgroundImage, font: getComputedStyle(text.parentElement).font,
    left: along.left - all.left, right: all.right - along.right, half: knob.width / 2 };
}

/** Show a place, with what Streamlit would write for it. */
function put({ input, said, thumb, text, fill, width, most, image, font, left, right, half }, place, words) {
  const share = place / most;
  thumb.style.left = `${share * 100}%`;
  let stop = 0; // the two at the ends, the two at the thumb
  fill.style.backgroundImage = image.replace(/[\d.]+%/g, (own) => (++stop > 2 ? `${share * 100}%` : own));
  text.data = words;
  // The words stay within the slider.
  canvas.font = font;
  const room = canvas.measureText(words).width / 2;
  const [before, after] = [left + share * width, right + (1 - share) * width];
  said.style.left = room > before ? `${half - before}px` : "";
  said.style.right = room > before || room <= after ? "" : `${half - after}px`;
  input.value = place;
  input.setAttribute("value", place);
  input.setAttribute("aria-valuetext", words);
}
