// The script of the pages, for the browser: comforts only. Everything works without it.

declare const document: {
  readonly body: { readonly dataset: { readonly refresh?: string } };
  readonly visibilityState: string;
  querySelector(selector: string): Element | null;
  addEventListener(type: 'keydown', listener: (event: KeyboardEvent) => void): void;
};
interface Element {
  checked: boolean;
  hidden: boolean;
  focus(): void;
  closest(selector: string): Element | null;
  addEventListener(type: 'change', listener: () => void): void;
}
interface KeyboardEvent {
  readonly key: string;
  readonly target: { readonly tagName: string } | null;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  preventDefault(): void;
}
declare const location: { replace(address: string): void };
declare const localStorage: Record<string, string | undefined>;

const { refresh } = document.body.dataset;
const box = document.querySelector('[data-refresh-switch]');
const label = box?.closest('label');

// A page in the background asks nothing. The console doesn't count "again" as use of the session.
if (box && label) {
  box.checked = localStorage['refresh'] !== 'off';
  label.hidden = false;
  box.addEventListener('change', () => {
    localStorage['refresh'] = box.checked ? 'on' : 'off';
  });
}
if (refresh !== undefined) {
  setInterval(() => {
    const isOn = box === null || box.checked;
    if (isOn && document.visibilityState === 'visible') location.replace('?again');
  }, Number(refresh));
}

// A slash goes to the search.
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target?.tagName ?? '');
  const search = document.querySelector('[type=search]');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search?.focus();
});
