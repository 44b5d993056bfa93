// The console's sign, for the browser's tab and the head of each page.

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6b58"/><path d="M5 17V11m4.7 6V7m4.6 10v-4M19 17V9" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/></svg>`;
