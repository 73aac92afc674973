// On a phone the list of pages lies over the page: a visitor who has chosen one wants to see it. Streamlit
// leaves the list open.

function closeDrawer() {
  if (!matchMedia("(max-width: 767px)").matches) return;
  const open = "[data-testid=stSidebar][data-collapsed=false] [data-testid=stSidebarCollapseButton]";
  document.querySelector(`${open} button`)?.click();
}

// Once for a visit, as connection.js.
if (document.querySelector("[data-testid=stApp]") && !document.documentElement.dataset.pvDrawer) {
  document.documentElement.dataset.pvDrawer = "";
  // Before Streamlit, which may take the link out of the list at once; the list is closed after it
  // has taken the click.
  const onLink = ({ target }) => {
    if (target.closest?.("[data-testid=stSidebar] a")) setTimeout(closeDrawer);
  };
  document.addEventListener("click", onLink, true);
  // Chosen before this program was there; the address follows the choice.
  const [{ name }] = performance.getEntriesByType("navigation");
  const here = new URL(name).pathname;
  const chosen = (looks) => {
    if (location.pathname !== here) closeDrawer();
    else if (looks) setTimeout(chosen, 100, looks - 1);
  };
  chosen(20);
}
