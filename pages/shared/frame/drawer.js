// On a phone the list of pages lies over the page: whoever has chosen one wants to see it. Streamlit
// leaves the list open.

function closeDrawer() {
  if (!matchMedia("(max-width: 767px)").matches) return;
  const open = "[data-testid=stSidebar][data-collapsed=false] [data-testid=stSidebarCollapseButton]";
  document.querySelector(`${open} button`)?.click();
}

// Once for a visit, as connection.js.
if (document.querySelector("[data-testid=stApp]") && !document.documentElement.dataset.pvDrawer) {
  document.documentElement.dataset.pvDrawer = "";
  document.addEventListener("click", (event) => {
    // After Streamlit has taken the click, which the list must still be there for.
    if (event.target.closest?.("[data-testid=stSidebar] a")) setTimeout(closeDrawer);
  });
}
