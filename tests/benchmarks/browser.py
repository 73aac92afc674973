"""What a visitor waits for, in a real Chromium: sliders that are dragged, changes, a slow line.

`python -m tests.benchmarks browser drag [page ...]` drags d and epsilon of class pages over all
their stops within 0.8 s, by mouse on a laptop's screen and by finger on a phone with a processor six
times slower, and prints how many of the stops that were passed were drawn, and milliseconds from pointer to paint.
`... browser change [page ...]` clicks on sliders in turn, 45 times, as a hand that aims first, and
prints milliseconds from the end of the click to a painted chart of that stop; `... browser look` has
the hand rest for a second first, as somebody does who looks at what has changed; `... browser click`
does not aim, so that most come before their strip. `... browser touch [page ...]` lays the hand on
sliders of settings that nobody prepared, as soon as there is a figure, and prints milliseconds until
the strip is there. `... browser line` opens a page twice on a slow line,
`... browser cold` the home page with nothing in any cache: until something true is seen, and until
the live figure is.
"""

import asyncio
import contextlib
import math
import random
import statistics
import time
from functools import partial

from playwright.async_api import async_playwright

from pages.shared.frame.sitemap import address, classes
from pages.shared.page.declaration import declared
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from tests.browser import chromium
from tests.load.host import Host
from tests.load.measure import idle

PATIENCE = 60_000  # ms
SLIDERS = ("d", "eps")
SWEEPS = 3  # of one the p95 would be the slowest stop
SWEEP, AIMS, LOOKS = 0.8, 0.4, 1.0  # seconds
CHANGES, TIMES, SETTINGS = 45, 5, 5
LAPTOP = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SLOWER = 6  # a phone's processor
# 1.6 Mbit/s with 300 ms, as of a mobile network of the third generation.
LINE = {"offline": False, "latency": 300, "downloadThroughput": 2e5, "uploadThroughput": 9.4e4}

# From now on, of one slider: which stops are passed, which are drawn and when they are painted.
WATCH = """(name) => {
  const log = (window.seen = { passed: [], painted: [], pointer: 0 });
  const input = () => document.querySelector(`.st-key-w_${name} input[type=range]`);
  const chart = document.querySelector(".st-key-main .pv-chart");
  let last = Number(input().value);
  const look = (event) => (log.pointer = event.timeStamp);
  for (const kind of ["pointermove", "touchmove", "pointerup"]) window.addEventListener(kind, look, true);
  new MutationObserver(() => {
    const now = Number(input()?.value);
    if (Number.isNaN(now) || now === last) return;
    last = now;
    log.passed.push([now, log.pointer]);
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value"] });
  new MutationObserver(() => {
    const at = chart.dataset.frame;
    let done = false; // either is after the painting; a busy browser draws frame after frame before messages
    const painted = () => {
      if (!done) log.painted.push([at ? Number(at.split(" ")[1]) : null, performance.now()]);
      done = true;
    };
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = painted;
    port2.postMessage(0);
    requestAnimationFrame(painted);
  }).observe(chart.querySelector(".pv-plot"), { attributes: true, attributeFilter: ["data-draws"] });
}"""
# Where a slider is, once it lies still: fonts and figures push it on.
PLACES = """async (name) => {
  const input = document.querySelector(`.st-key-w_${name} input[type=range]`);
  input.style.scrollMarginBottom = "3rem";
  input.scrollIntoView({ block: "end" }); // on a phone the figure stays on top
  let track = input.parentElement;
  while (track.getBoundingClientRect().width < 100) track = track.parentElement;
  const boxes = () => [track, input.parentElement.parentElement].map((n) => n.getBoundingClientRect());
  for (let last = "", still = 0; still < 5; await new Promise(requestAnimationFrame)) {
    const now = JSON.stringify(boxes());
    still = now === last ? still + 1 : 0;
    last = now;
  }
  const [box, thumb] = boxes();
  return { left: box.x, width: box.width, x: thumb.x + thumb.width / 2, y: thumb.y + thumb.height / 2,
    last: Number(input.max), at: Number(input.value) };
}"""
# From the end of a click to the first painted chart that shows where the slider now stands: a frame
# of its strip, the figure of its stop, or what comes with the page: only that is drawn without a frame.
CHANGED = """async ([name, stop]) => {
  const chart = document.querySelector(".st-key-main .pv-chart");
  const plot = chart.querySelector(".pv-plot");
  let since;
  const up = new Promise((done) =>
    document.addEventListener("pointerup", ({ timeStamp }) => done((since = timeStamp)), { capture: true, once: true }));
  const painted = new Promise((done) => {
    const drawn = new MutationObserver(() => {
      const { frame } = chart.dataset; // without one and before the click: a simulation goes on
      if (frame ? frame !== `${name} ${stop}` : since === undefined) return;
      drawn.disconnect();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done([performance.now(), frame !== undefined]);
      port2.postMessage(0);
    });
    drawn.observe(plot, { attributes: true, attributeFilter: ["data-draws"] });
  });
  window.changed = Promise.all([up, painted]).then(([from, [to, followed]]) => [Math.max(0, to - from), followed]);
}"""
LIVE = "name => (document.querySelector('.pv-chart')?.dataset.live ?? '').split(' ').includes(name)"
RESTS = """() => {
  const { testScriptState: state } = document.querySelector("[data-testid=stApp]")?.dataset ?? {};
  const { frame, sketched } = document.querySelector(".st-key-main .pv-chart")?.dataset ?? {};
  return state === "notRunning" && frame === undefined && sketched === undefined;
}"""
# Until the slider is at its end and nothing has been drawn for ten frames.
CALM = """async (name) => {
  const input = document.querySelector(`.st-key-w_${name} input[type=range]`);
  const draws = () => `${input.value === input.max} ${window.seen.painted.length}`;
  for (let last = "", still = 0; still < 10; await new Promise(requestAnimationFrame)) {
    still = draws() === last && input.value === input.max ? still + 1 : 0;
    last = draws();
  }
}"""
# Until what the debugger asked for and the first frame are done: the hand begins at rest.
IDLE = """async () => {
  for (let frames = 0; frames < 5; frames += 1) await new Promise(requestAnimationFrame);
  await new Promise((done) => requestIdleCallback(done, { timeout: 1000 }));
}"""
SLIDER = ".st-key-w_{} input[type=range]:enabled"
DRAWN = ".st-key-main .pv-plot .main-svg"


def at(ordered, share):
    """Return the least time that this share did not exceed."""
    return sorted(ordered)[math.ceil(share * len(ordered)) - 1] if ordered else math.nan


@contextlib.asynccontextmanager
async def browsing():
    """Give a Chromium."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium.find(playwright), args=chromium.FLAGS
        )
        yield browser
        await browser.close()


async def opened(browser, url, screen, slower=1):
    """Return a page whose figure is there and rests, and a session of the debugger with it."""
    context = await browser.new_context(**screen)
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    await page.goto(url)
    await page.locator(DRAWN).first.wait_for()
    await page.locator(SLIDER.format(SLIDERS[0])).wait_for(state="attached")
    session = await context.new_cdp_session(page)
    if slower > 1:
        await session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    await page.wait_for_function(RESTS)
    return page, session


FINGER = {"mousePressed": "touchStart", "mouseMoved": "touchMove", "mouseReleased": "touchEnd"}


async def pointer(session, kind, x, y, *, finger=False):
    """Move, press or lift the mouse, or a finger."""
    if finger:
        points = [{"x": x, "y": y}] if kind != "mouseReleased" else []
        event = {"type": FINGER[kind], "touchPoints": points}
        await session.send("Input.dispatchTouchEvent", event)
        return
    button = {"button": "left", "clickCount": 1} if kind != "mouseMoved" else {"button": "left"}
    await session.send(
        "Input.dispatchMouseEvent",
        {"type": kind, "x": x, "y": y, "buttons": int(kind != "mouseReleased"), **button},
    )


async def touched(page, session, name, **hand):
    """Lay the pointer on a slider; return milliseconds until its strip is there, and the places."""
    places = await page.evaluate(PLACES, name)
    begun = time.perf_counter()
    await pointer(session, "mousePressed", places["x"], places["y"], **hand)
    await page.wait_for_function(LIVE, arg=name)
    return 1e3 * (time.perf_counter() - begun), places


async def dragged(page, session, name, **hand):
    """Drag a slider over all of its stops; return what was seen."""
    waited, places = await touched(page, session, name, **hand)
    left, width, y, last = (places[key] for key in ("left", "width", "y", "last"))
    await pointer(session, "mouseMoved", left, y, **hand)
    await page.wait_for_function(
        "name => document.querySelector('.pv-chart').dataset.frame === `${name} 0`"
        " || Number(document.querySelector(`.st-key-w_${name} input`).value) === 0",
        arg=name,
    )
    await page.evaluate(WATCH, name)
    await page.evaluate(IDLE)
    begun, moves = time.perf_counter(), []
    for stop in range(1, last + 1):
        await asyncio.sleep(max(0.0, begun + SWEEP * stop / last - time.perf_counter()))
        moves.append(
            asyncio.create_task(
                pointer(session, "mouseMoved", left + width * stop / last, y, **hand)
            )
        )
    await asyncio.gather(*moves)
    took = time.perf_counter() - begun
    await page.evaluate(CALM, name)
    seen = await page.evaluate("seen")
    # Where it was, so that the next slider is dragged at the same setting; the server sees no change.
    await pointer(session, "mouseMoved", places["x"], y, **hand)
    await pointer(session, "mouseReleased", places["x"], y, **hand)
    await page.wait_for_function(RESTS)
    return waited, took, seen, places["at"]


def drawn_of(seen, own):
    """Return how many stops were passed and drawn, and milliseconds from pointer to paint.

    Without a frame a chart shows the server's figure: that of the stop `own`.
    """
    painted = {}
    for stop, when in seen["painted"]:
        painted.setdefault(own if stop is None else stop, when)
    delays = [painted[stop] - since for stop, since in seen["passed"] if stop in painted]
    return len(seen["passed"]), len(delays), delays


async def drag(names, host):
    """Print a line a page, slider and screen, of several sweeps."""
    print("page           slider  screen   strip ms  stops  drawn  sweep s   p50 ms   p95 ms")
    async with browsing() as browser:
        for name in names:
            for screen, what, slower in ((LAPTOP, "laptop", 1), (PHONE, "phone", SLOWER)):
                page, session = await opened(browser, f"{host.url}/{name}", screen, slower)
                for slider in SLIDERS:
                    if not await page.locator(SLIDER.format(slider)).count():
                        continue
                    waits, times, counts, delays = [], [], [], []
                    for _ in range(SWEEPS):
                        waited, took, seen, own = await dragged(
                            page, session, slider, finger=screen is PHONE
                        )
                        passed, drawn, found = drawn_of(seen, own)
                        waits.append(waited)
                        times.append(took)
                        counts.append((passed, drawn))
                        delays += found
                    passed, drawn = map(sum, zip(*counts, strict=True))
                    print(
                        f"{name:14} {slider:7} {what:7} {waits[0]:9.0f} {passed:6} {drawn:6}"
                        f" {max(times):8.2f} {at(delays, 0.5):8.0f} {at(delays, 0.95):8.0f}",
                        flush=True,
                    )
                await page.context.close()


async def touch(names, host):
    """Print a line a page and slider: from the first touch to the strip, where nothing is prepared."""
    print("page           slider  settings   p50 ms      max")
    async with browsing() as browser:
        for name in names:
            draw = random.Random(name)  # noqa: S311 - no secret
            waits = {slider: [] for slider in SLIDERS}
            for slider in SLIDERS * SETTINGS:
                alpha, beta = (round(draw.uniform(0.05, 0.3), 3) for _ in "ab")
                url = f"{host.url}/{name}?v=2&alpha={alpha}&beta={beta}"
                page, session = await opened(browser, url, LAPTOP)
                if await page.locator(SLIDER.format(slider)).count():
                    waits[slider].append((await touched(page, session, slider))[0])
                await page.context.close()
            for slider, found in waits.items():
                if found:
                    middle, most = statistics.median(found), max(found)
                    print(
                        f"{name:14} {slider:7} {len(found):8} {middle:8.0f} {most:8.0f}", flush=True
                    )


SEEN = """(selector) => new Promise((done) => {
  const look = () => {
    const node = document.querySelector(selector);
    if (node && node.getBoundingClientRect().width) requestAnimationFrame(() => done(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})"""


def pictured(name):
    """Return the stops of d, by their place, that a page at its defaults has a figure of."""
    file = next(file for _, file in classes() if address(file) == name)
    page, found = declared(file), []
    for place, stop in enumerate(page.settings["d"].stops):
        with contextlib.suppress(InputError):
            Scenario(page.concept, page.learners, d=int(stop))
            found.append(place)
    return found


async def change(names, host, aims=AIMS, looks=0.0):
    """Print a line a page: from the end of a click on a slider to a painted chart of its stop.

    Whoever looks at a figure lets the hand lie; a hand aims before it clicks: so long the pointer
    rests on the slider.
    """
    print("page           changes   p50 ms   p95 ms      max  of these before the page")
    async with browsing() as browser:
        for name in names:
            page, session = await opened(browser, f"{host.url}/{name}", LAPTOP)
            draw = random.Random(name)  # noqa: S311 - no secret
            sliders = [one for one in SLIDERS if await page.locator(SLIDER.format(one)).count()]
            delays, followed, there = [], 0, {"d": pictured(name)}
            for number in range(CHANGES):
                # In turn: the strip of a slider that stays the same would know all stops already.
                slider = sliders[number % len(sliders)]
                await asyncio.sleep(looks)
                places = await page.evaluate(PLACES, slider)
                here = there.get(slider, range(places["last"] + 1))
                stop = draw.choice([n for n in here if n != places["at"]])
                # At its very end a track is not hit.
                x = places["left"] + 1 + (places["width"] - 2) * stop / places["last"]
                if aims:
                    await session.send(
                        "Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": places["y"]}
                    )
                    await asyncio.sleep(aims)
                await page.evaluate(CHANGED, [slider, stop])
                await pointer(session, "mousePressed", x, places["y"])
                await pointer(session, "mouseReleased", x, places["y"])
                delay, strip = await page.evaluate("changed")
                delays.append(delay)
                followed += strip
                await page.wait_for_function(RESTS)
            print(
                f"{name:14} {len(delays):7} {statistics.median(delays):8.0f} {at(delays, 0.95):8.0f}"
                f" {max(delays):8.0f} {followed:10}",
                flush=True,
            )
            await page.context.close()


async def visit(context, url, line=None):
    """Open a page; return seconds until a true picture is seen, until the live one is, and MB."""
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await session.send("Network.enable")
    if line:
        await session.send("Network.emulateNetworkConditions", line)
    received = [0, 0]

    def finished(event):
        received[0] += 1
        received[1] += event["encodedDataLength"]

    session.on("Network.loadingFinished", finished)
    begun = time.perf_counter()
    await page.goto(url, wait_until="commit")
    # From here on the page's own clock, which began when the address was asked for.
    first, live = await asyncio.gather(
        page.evaluate(SEEN, "#pv-first :is(.pv-still, [data-first-coming]), .pv-plot .main-svg"),
        page.evaluate(SEEN, ".pv-plot .main-svg"),
    )
    whole = time.perf_counter() - begun
    await page.close()
    return first / 1e3, live / 1e3, whole, received[0], received[1] / 2**20


async def visits(browser, what, url, line=None, count=1):
    """Print a line a visit; those after the first have what the browser has kept."""
    context = await browser.new_context(**LAPTOP)
    context.set_default_timeout(PATIENCE)
    for number in range(1, count + 1):
        first, live, whole, requests, size = await visit(context, url, line)
        print(
            f"{what:26} visit {number}: something true {first:5.2f} s, live {live:5.2f} s"
            f" (clock outside {whole:5.2f} s), {requests} requests, {size:.2f} MB",
            flush=True,
        )
    await context.close()


async def line(names, host):
    """Print what pages cost on a slow line, the second time as well."""
    async with browsing() as browser:
        for name in ("", *names):
            await visits(browser, f"slow line, /{name}", f"{host.url}/{name}", LINE, 2)


async def cold(_, host):
    """Print what the home page costs who has never been here: profiles that know nothing."""
    for _ in range(TIMES):
        async with browsing() as browser:  # a new process: nothing is compiled either
            await visits(browser, "cold, /", host.url)


KINDS = {
    "drag": drag,
    "change": change,
    "look": partial(change, looks=LOOKS),
    "click": partial(change, aims=0.0),
    "touch": touch,
    "line": line,
    "cold": cold,
}


async def prepared(pages, host):
    """Visit the pages once, and wait until the server has nothing more to prepare."""
    async with browsing() as browser:
        for name in ("", *pages):
            page = await browser.new_page()
            await page.goto(f"{host.url}/{name}")
            await page.locator(".pv-plot .main-svg").first.wait_for(timeout=PATIENCE)
            await page.close()
    await idle(host.pids)


def main(kind="drag", *names):
    """Start `privsc serve`, wait until it has prepared what it prepares, and measure."""
    pages = names or tuple(address(file) for _, file in classes())
    with contextlib.closing(Host("serve")) as host:
        host.start()
        asyncio.run(prepared(pages, host))
        asyncio.run(KINDS[kind](pages, host))
        for words in host.trouble():
            print("server's log:", words)
