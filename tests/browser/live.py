"""How tests move live sliders, and what they look at."""

from playwright.sync_api import expect

# From now on: which stops the slider passes, and what is shown when it has been drawn.
WATCH = """(name) => {
  const log = (window.seen = { passed: [], drawn: [], followed: [] });
  const input = () => document.querySelector(`.st-key-w_${name} input[type=range]`);
  let last = input().value;
  new MutationObserver(() => {
    if (input().value === last) return;
    log.passed.push(Number((last = input().value)));
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value"] });
  new MutationObserver(() => {
    log.drawn.push(document.querySelector(".pv-caption").textContent);
    log.followed.push(document.querySelector(".pv-chart").dataset.frame);
  }).observe(document.querySelector(".pv-plot"), { attributes: true, attributeFilter: ["data-draws"] });
  // For each of them browsers style the page anew. Lines of a text that gets longer are a few at most.
  const rows = ({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes]
    .filter(({ nodeType, nodeName }) => nodeType === 1 && nodeName !== "tspan").map((node) => node.outerHTML);
  log.elements = [];
  new MutationObserver((records) => log.elements.push(...records.flatMap(rows)))
    .observe(document.querySelector("[data-testid=stMain]"), { subtree: true, childList: true });
}"""


def slider(page, name):
    return page.locator(f".st-key-w_{name} input[type=range]")


def touch(page, name):
    """Touch a slider until its strip is there: a busy server may have no time for the first one."""
    slider(page, name).focus()
    while strip(page, name, "live", "lost") == "lost":
        slider(page, name).blur()
        slider(page, name).focus()


def strip(page, name, *states):
    """Wait until a slider's strip is there, or has come to one of `states`; return to which."""
    return page.wait_for_function(
        """([name, states]) => states.find((state) =>
          (document.querySelector('.pv-chart')?.dataset[state] ?? '').split(' ').includes(name))""",
        arg=[name, states or ["live"]],
    ).json_value()


def track(page, name):
    """Return left end, width and height of a slider's track, and where its thumb is."""
    return page.evaluate(
        """name => {
          const input = document.querySelector(`.st-key-w_${name} input[type=range]`);
          let track = input.parentElement;
          while (track.getBoundingClientRect().width < 100) track = track.parentElement;
          const [box, thumb] = [track, input.parentElement.parentElement].map((n) => n.getBoundingClientRect());
          return [box.x, box.width, thumb.x + thumb.width / 2, thumb.y + thumb.height / 2];
        }""",
        name,
    )


def shows(page, text):
    expect(page.locator(".pv-caption")).to_have_text(text)
    expect(page.locator(".pv-card strong")).to_have_text(text.split(",")[0].removeprefix("d = "))


def grab(page, name):
    """Press the mouse on a slider's thumb; return what `track` does."""
    left, width, x, y = track(page, name)
    page.mouse.move(x, y)
    page.mouse.down()
    return left, width, x, y
