// One response of the API's HTTP server.

import { ServerResponse } from 'node:http';

/** In metrics, the route of an unmatched path, and the method of bytes that aren't a request. */
export const OTHER_LABEL = 'other';

export class ApiResponse extends ServerResponse {
  /** Set by the handler: the pattern of the matched route, and the request id. */
  route = OTHER_LABEL;
  requestId: string | undefined;
  /** The status of an error that was written to the socket directly, bypassing this object. */
  refusedWith: number | undefined;
  hasStarted = false;
  /** Handles the request. `Connections` calls it when the responses before it are written. */
  handle: (response: ApiResponse) => unknown = () => {};

  /** Whether nothing more may be written. Node would create an error with a stack trace for a disconnected client. */
  get isOver(): boolean {
    return this.destroyed || this.writableEnded || this.refusedWith !== undefined;
  }

  /**
   * Headers are sent with the first chunk of the body, as Latin-1. Flushed alone, Node would write
   * them as UTF-8: a byte above 7F of an echoed request id would become two bytes.
   */
  override flushHeaders(): void {}

  override write(...all: unknown[]): boolean {
    return this.isOver || (super.write as (...all: unknown[]) => boolean).apply(this, all);
  }

  override end(...all: unknown[]): this {
    return this.isOver ? this : (super.end as (...all: unknown[]) => this).apply(this, all);
  }
}
