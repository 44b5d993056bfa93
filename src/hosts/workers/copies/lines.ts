// The lines of a stream of UTF-8 text. Memory holds the line that is read.

export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let begun: string[] = [];
  for await (const bytes of stream) {
    const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
    begun.push(first);
    for (const part of rest) {
      yield begun.join('');
      begun = [part];
    }
  }
  const last = begun.join('') + decoder.decode();
  if (last !== '') yield last;
}
