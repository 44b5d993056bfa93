// The script of the pages, for the browser: conveniences only. Everything works without it.

declare const document: {
  readonly body: { readonly dataset: { readonly refresh?: string } };
  readonly visibilityState: string;
  querySelector(selector: string): Element | null;
};
interface Element {
  checked: boolean;
  hidden: boolean;
  closest(selector: string): Element | null;
  addEventListener(type: 'change', listener: () => void): void;
}
declare const location: { readonly href: string; replace(address: URL): void };
declare const localStorage: Record<string, string | undefined>;

const { refresh } = document.body.dataset;
const box = document.querySelector('[data-refresh-switch]');
const label = box?.closest('label');

// Pages in the background don't reload. The console doesn't count `?again` as use of the session.
if (box && label) {
  box.checked = localStorage['refresh'] !== 'off';
  label.hidden = false;
  box.addEventListener('change', () => {
    localStorage['refresh'] = box.checked ? 'on' : 'off';
  });
}
if (refresh !== undefined) {
  // The search and the page of a list stay.
  const same = new URL(location.href);
  same.searchParams.set('again', '');
  setInterval(() => {
    const isOn = box === null || box.checked;
    if (isOn && document.visibilityState === 'visible') location.replace(same);
  }, Number(refresh));
}
