// A chapter that readers paste: each block of commands, and what the page says that it prints.

import { sectionOf } from './pages.js';

export interface Step {
  readonly lines: readonly string[];
  /** The block `text` after it; empty where there is none. */
  readonly output: string;
}

/** The blocks `sh` of a chapter, up to its first heading below. */
export function pageSteps(page: string, heading: string): readonly Step[] {
  const [chapter = ''] = sectionOf(page, heading).split(/^#+ /m);
  const blocks = chapter.matchAll(/```sh\n([\s\S]*?)```(?:\s*```text\n([\s\S]*?)```)?/g);
  return [...blocks].map(([, commands = '', output = '']) => ({
    lines: commands.trimEnd().split('\n'),
    output,
  }));
}
