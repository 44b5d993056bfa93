// Reads the output of strace: the server's file operations and responses, in order. A call without
// a model here is an error, because the disk is rebuilt from these steps alone.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export type Write = { kind: 'write'; path: string; offset: number; data: Buffer };
export type Truncate = { kind: 'truncate'; path: string; size: number };
export type NameChange = { kind: 'create' | 'make-folder' | 'remove'; path: string };
export type Rename = { kind: 'rename'; path: string; to: string };
/** `acknowledge`: the server sends the first byte of a 2xx response. */
export type Step =
  | (Write | Truncate | NameChange | Rename)
  | { kind: 'sync'; path: string; failed: boolean }
  | { kind: 'acknowledge'; change: number };

const FILE_CALLS =
  'open,openat,openat2,creat,mkdir,mkdirat,rmdir,write,writev,pwrite64,pwritev,pwritev2,sendto,sendmsg,' +
  'fsync,fdatasync,sync_file_range,truncate,ftruncate,fallocate,unlink,unlinkat,rename,renameat,' +
  'renameat2,link,linkat,copy_file_range,sendfile,splice,mmap';
const STRING_MAX_BYTES = 64_000_000;

/** Why strace cannot be used here; undefined when it can. */
export function tracerIsMissing() {
  const args = ['-D', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null', 'true'];
  const { status, error, stderr } = spawnSync('strace', args, { encoding: 'utf8' });
  if (error !== undefined) return 'strace is not installed here';
  return status === 0 ? undefined : `strace may not trace here: ${stderr.trim()}`;
}

/** The strace command that records a server. The server keeps its own process id. */
export function recordingTo(output: string, more: readonly string[] = []) {
  const shown = ['-y', '-xx', '-s', String(STRING_MAX_BYTES)];
  const traced = ['-e', `trace=${FILE_CALLS}`, '-o', output];
  return ['strace', '-D', '-f', '--seccomp-bpf', '-qq', ...shown, ...traced, ...more];
}

/**
 * The steps of a trace: operations on files in the folder, and responses to requests whose id is
 * `change-N-`. A write takes the place of its start, a sync that of its end.
 */
export function readTrace(file: string, folder: string) {
  const wanted = [hex(folder), hex('HTTP/1.1 2')];
  const steps: (Step | undefined)[] = [];
  /** Calls in progress, by thread. */
  const begun: Map<string, { text: string; at: number }> = new Map();
  for (const line of readFileSync(file, 'latin1').split('\n')) {
    const space = line.indexOf(' ');
    const thread = line.slice(0, space);
    const text = line.slice(space).trimStart();
    const resumed = /^<\.\.\. \w+ resumed>/.exec(text);
    if (resumed) {
      const start = begun.get(thread);
      begun.delete(thread);
      if (start === undefined) continue;
      conclude(start.text + text.slice(resumed[0].length), start.at);
    } else if (wanted.some((part) => text.includes(part)) || text.includes('unfinished ...>')) {
      const isUnfinished = text.endsWith('<unfinished ...>');
      const at = steps.push(undefined) - 1;
      if (isUnfinished) begun.set(thread, { text: text.slice(0, -'<unfinished ...>'.length), at });
      else conclude(text, at);
    }
  }
  // The server was killed during these calls: they may have taken effect.
  for (const { text, at } of begun.values()) conclude(`${text}) = ?`, at);
  return steps.filter((step) => step !== undefined);

  function conclude(text: string, at: number) {
    if (!wanted.some((part) => text.includes(part))) return;
    const step = stepOf(text.replace(' <unfinished ...>', ''), folder);
    if (step?.kind === 'sync') steps.push(step);
    else steps[at] = step;
  }
}

function stepOf(text: string, folder: string): Step | undefined {
  const [, name = '', args = '', result = ''] = /^(\w+)\((.*)\)\s+= (.*)$/s.exec(text) ?? [];
  const failed = result.startsWith('-1');
  const target = /^\d+<([^>]*)>/.exec(args)?.[1];
  const path = target === undefined ? '' : plain(target);
  // A file without a name is lost when its last descriptor is closed.
  if (/^\d+<[^>]*>\(deleted\)/.test(args)) return undefined;
  if (!isInside(path, folder)) return failed ? undefined : elsewhere(name, args, result, folder);
  if (name === 'fsync' || name === 'fdatasync') {
    return result === '?' ? undefined : { kind: 'sync', path, failed };
  }
  if (failed) return undefined;
  if (name === 'pwrite64') {
    const [, data = '', , offset] = /, "([^"]*)", (\d+), (\d+)\s*$/.exec(args) ?? [];
    const bytes = Buffer.from(data.replaceAll('\\x', ''), 'hex');
    const written = result === '?' ? bytes.length : Number(result);
    return { kind: 'write', path, offset: Number(offset), data: bytes.subarray(0, written) };
  }
  if (name === 'ftruncate') {
    return { kind: 'truncate', path, size: Number(/, (\d+)\s*$/.exec(args)?.[1]) };
  }
  throw new Error(`no model of this call on ${path}: ${text.slice(0, 200)}`);
}

/** The step of a call whose first argument is not a file of the folder. */
function elsewhere(name: string, args: string, result: string, folder: string): Step | undefined {
  const [first = '', second = ''] = strings(args);
  if (name === 'write' || name === 'writev' || name === 'sendto' || name === 'sendmsg') {
    const change = /^HTTP\/1\.1 2.*?x-request-id: change-(\d+)-/is.exec(strings(args).join(''));
    return change === null ? undefined : { kind: 'acknowledge', change: Number(change[1]) };
  }
  if (name.startsWith('open')) {
    const opened = plain(/<([^>]*)>/.exec(result)?.[1] ?? '');
    if (!isInside(opened, folder) || !args.includes('O_CREAT')) return undefined;
    // With O_EXCL the file is new, so there is nothing to truncate.
    if (args.includes('O_TRUNC') && !args.includes('O_EXCL')) {
      throw new Error(`no model of O_TRUNC on ${opened}`);
    }
    return { kind: 'create', path: opened };
  }
  if (name === 'mmap') {
    if (!args.includes('PROT_WRITE') || args.includes('MAP_PRIVATE')) return undefined;
    throw new Error(`untraceable write through mmap: ${args.slice(0, 200)}`);
  }
  if (!isInside(first, folder)) return undefined;
  if (name === 'mkdir' || name === 'mkdirat') return { kind: 'make-folder', path: first };
  if (name === 'unlink') return { kind: 'remove', path: first };
  if (name === 'rename') return { kind: 'rename', path: first, to: second };
  throw new Error(`no model of ${name} on ${first}`);
}

function isInside(path: string, folder: string) {
  return path === folder || path.startsWith(`${folder}/`);
}

/** All quoted arguments. */
function strings(args: string) {
  return [...args.matchAll(/"([^"]*)"/g)].map(([, text = '']) => plain(text));
}

function plain(escaped: string) {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex').toString('latin1');
}

function hex(text: string) {
  return Buffer.from(text).toString('hex').replaceAll(/../g, '\\x$&');
}
