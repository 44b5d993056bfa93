// What the service computes for those who call it without the operator's key.

/** One order's payment, computed by the service. */
export interface Payment {
  readonly id: string;
  readonly order_id: string;
  readonly customer: string;
  readonly amount: number;
  readonly paid: number;
  /** `amount - paid`; negative if too much was paid. */
  readonly due: number;
  readonly currency: string;
  readonly method: string | null;
  readonly status: 'paid' | 'pending';
}

export interface Health {
  readonly status: string;
  readonly service: string;
  readonly version: string;
  readonly time_zone: string;
  readonly currency: string;
}
