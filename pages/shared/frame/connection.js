// Says when the connection is lost, and when it is back: what is moved meanwhile waits, and
// the visitor knows why.
//
// A socket that closes Streamlit notices by itself. On a line that went silent it takes minutes; so
// the server is asked whenever there is a doubt: the browser says that it is offline (which is no
// proof: a laptop on a plane still reaches itself), or somebody did something and nothing came of
// it. A visitor who is answered does not ask: two hundred in a hall would be two hundred questions a second.

// A server that was started anew, or that forgot a visitor who was away for long, knows none of the
// page's fragments and would ignore every change. Streamlit runs the page again only if a fragment
// ran last; so the page is run here, unless Streamlit already does. Until it has run, the address is
// all that the server knows: a control that is moved would be put back, so controls wait.

const DOUBT = 600; // ms after something was done without a sign of the server
const PATIENCE = 1200; // ms for its answer: with the former within two seconds
const ASKED_AGAIN = 1000; // ms between two questions while the connection is lost
const THANKS = 5000; // ms that the good news stays
const WORDS = {
  lost: "The connection is lost. The figures stay; the controls work again when the connection is back.",
  silent:
    "There is no answer: the connection is lost, or the server is busy. What is drawn stays; controls " +
    "wait until it is back.",
  back: "The connection is back.",
};

let runPage; // from chart.js
const AT_MOST = 3000; // ms that controls wait for the page's first run, which may go on for longer
const AT_ONCE = 20; // ms in which Streamlit would have started a run by itself

function connection(health) {
  const said = document.createElement("div");
  said.id = "pv-connection";
  said.setAttribute("role", "status"); // polite, and there before it has words
  document.body.append(said);
  let met = false; // the first connection is no news
  let lost = false;
  let gone = false; // the socket was closed, and the server has not run the page since
  let greeted = false;
  let running = false;
  let done = 0; // when somebody last did something
  let sign = 0; // when Streamlit last changed its state, which it does when it hears of the server
  let thanks;
  let doubt;
  let next;

  const app = () => document.querySelector("[data-testid=stApp]")?.dataset;
  const connected = () => app()?.testConnectionState === "CONNECTED";
  const idle = () => app()?.testScriptState === "notRunning";

  function say(state) {
    clearTimeout(thanks);
    said.dataset.state = state;
    said.textContent = WORDS[state] ?? "";
  }

  function lose(how) {
    if (lost || !met) return;
    lost = true;
    say(how);
    again();
  }

  function again() {
    clearTimeout(next);
    next = setTimeout(ask, ASKED_AGAIN);
  }

  function find() {
    if (!lost) return;
    lost = false;
    say("back");
    thanks = setTimeout(() => say(""), THANKS);
  }

  /** Ask the server for a sign of life. An answer that comes late is one all the same. */
  async function ask() {
    const late = setTimeout(() => lose("silent"), PATIENCE);
    const answer = await fetch(health, { cache: "no-store" }).catch(() => null);
    clearTimeout(late);
    if (!answer?.ok) lose("lost");
    else if (connected() && !gone) find();
    if (lost) again();
  }

  function watch() {
    sign = performance.now();
    met ||= connected();
    if (!connected()) {
      greeted = running = false;
      if (met) wait(true);
      lose("lost");
      return;
    }
    if (gone && !greeted) {
      setTimeout(greet, AT_ONCE);
      setTimeout(() => connected() && wait(false), AT_MOST);
    }
    greeted = true;
    if (running && idle()) wait(false);
    running = !idle();
    if (lost) ask();
  }

  /** Make sure that the server knows the page. */
  function greet() {
    if (!connected() || !idle()) return;
    if (runPage) runPage();
    else wait(false);
  }

  function wait(shall) {
    gone = shall;
    document.querySelector("[data-testid=stMain]").inert = shall;
  }

  function act() {
    done = performance.now();
    clearTimeout(doubt);
    doubt = setTimeout(() => {
      if (sign < done && !lost) ask();
    }, DOUBT);
  }

  for (const event of ["offline", "online"]) addEventListener(event, ask);
  for (const event of ["change", "click", "keyup"]) addEventListener(event, act, true);
  new MutationObserver(watch).observe(document.body, {
    subtree: true,
    attributes: true,
    attributeFilter: ["data-test-connection-state", "data-test-script-state"],
  });
  watch();
}

// Once for a visit, whichever page comes first; not in a file, which has no connection.
if (document.querySelector("[data-testid=stApp]") && !document.getElementById("pv-connection")) {
  connection(new URL("../../_stcore/health", import.meta.url));
}
