// One answer of the API.

import { ServerResponse } from 'node:http';

/** The route of a request that matched none, and the method of bytes that aren't a request. */
export const OTHER_LABEL = 'other';

export class ApiResponse extends ServerResponse {
  /** Set by the handler: the pattern of the matched route, and the request id. */
  route = OTHER_LABEL;
  requestId: string | undefined;
  /** The status with which the connection was ended, past this object; undefined if it was not. */
  refusedWith: number | undefined;
  hasStarted = false;
  /** Serves the request. `Connections` calls it in its turn. */
  serve: (response: ApiResponse) => unknown = () => {};

  /** Whether nothing more may be written. For a client that is gone, Node would make an error with a stack trace. */
  get isOver(): boolean {
    return this.destroyed || this.writableEnded || this.refusedWith !== undefined;
  }

  /**
   * Headers are sent with the first piece of the body, byte by byte. If they were flushed alone, Node
   * would write them as UTF-8: a byte above 7F of an echoed request id would become two bytes.
   */
  override flushHeaders(): void {}

  override write(...all: unknown[]): boolean {
    return this.isOver || (super.write as (...all: unknown[]) => boolean).apply(this, all);
  }

  override end(...all: unknown[]): this {
    return this.isOver ? this : (super.end as (...all: unknown[]) => this).apply(this, all);
  }
}
