// Makes elements of the page. Texts are set as texts, never as HTML.

export type Child = Node | string | undefined;

/** An element with attributes and children; `undefined` among the children is none. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** The text with its `code` parts and [links](url) as elements. */
export function words(text: string): Node[] {
  const parts = text.split(/(`[^`]+`|\[[^\]]+\]\(https?:[^)]+\))/);
  return parts.map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    const [, label, href] = /^\[([^\]]+)\]\((https?:[^)]+)\)$/.exec(part) ?? [];
    if (label === undefined || href === undefined) return document.createTextNode(part);
    return element('a', { href, rel: 'noreferrer' }, label);
  });
}
