try {
  const theme = localStorage.getItem("tollgate.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the theme is the system's.
}
