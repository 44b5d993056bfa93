// The script of the pages, for the browser: comforts only. Everything works
// without it.

interface Box {
  checked: boolean;
  addEventListener(type: 'change', listener: () => void): void;
  closest(selector: string): { hidden: boolean } | null;
}

declare const document: {
  readonly body: { readonly dataset: { readonly refresh?: string } };
  readonly visibilityState: string;
  querySelector(selector: string): unknown;
  addEventListener(type: string, listener: (event: KeyboardEvent) => void): void;
};
interface KeyboardEvent {
  readonly key: string;
  readonly target: { readonly tagName: string } | null;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  preventDefault(): void;
}
declare const location: { replace(address: string): void };
declare const localStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
};

const STORED = 'refresh';
const { refresh } = document.body.dataset;
const box = document.querySelector('[data-refresh-switch]') as Box | null;

// Off where the reader has switched it off; a page in the background asks nothing.
// The console counts "again" as no use of the session.
if (refresh !== undefined) {
  const isOn = () => box === null || box.checked;
  if (box !== null) {
    box.checked = localStorage.getItem(STORED) !== 'off';
    box.addEventListener('change', () => localStorage.setItem(STORED, isOn() ? 'on' : 'off'));
    const label = box.closest('label');
    if (label !== null) label.hidden = false;
  }
  setInterval(() => {
    if (isOn() && document.visibilityState === 'visible') location.replace('?again');
  }, Number(refresh));
}

// A stroke goes to the search.
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target?.tagName ?? '');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector('[type=search]') as { focus(): void } | null;
  if (search === null) return;
  event.preventDefault();
  search.focus();
});
