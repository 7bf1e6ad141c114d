// Before the first paint, so that a remembered theme does not flash: "light", "dark", or as the system has it.
try {
  const theme = localStorage.getItem('callsheet.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden: then the system decides.
}
