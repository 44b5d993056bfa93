// A spreadsheet as shops have them: Windows-1252, Excel's first line,
// semicolons, line ends in values, numbers with points and commas, equal rows.

/** The record that a row must become. */
export interface MessyOrder {
  readonly customer: string;
  readonly service: string;
  readonly amount: number;
  readonly phone: string;
  readonly Maelezo?: string;
}

export interface MessyFile {
  /** Windows-1252. */
  readonly bytes: Buffer;
  readonly orders: readonly MessyOrder[];
}

export const MESSY_OPTIONS = [
  '--map',
  'Mteja=customer,Huduma=service,Kiasi=amount,Simu=phone',
  '--decimal',
  ',',
] as const;

/** Every tenth row is equal to the one before it. */
export function messyFile(rows: number): MessyFile {
  const lines = ['sep=;', 'Mteja;Huduma;Kiasi;Simu;Maelezo;'];
  const orders: MessyOrder[] = [];
  for (let row = 0; row < rows; row++) {
    const n = row % 10 === 9 ? row - 1 : row;
    const customer = n % 3 === 0 ? `Zoë "Zuu" ${n}` : `Neema, Mushi ${n}`;
    const note = n % 4 === 0 ? `mstari wa kwanza\r\nwa pili; ${n}` : '';
    const amount = 1_000 + n + (n % 2) / 2;
    orders.push({
      customer,
      service: 'Kusuka nywele',
      amount,
      phone: n % 5 === 0 ? `+2557${n}` : `0713${n}`,
      ...(note !== '' && { Maelezo: note }),
    });
    const order = orders.at(-1);
    const cells = [customer, 'Kusuka nywele', written(amount), order?.phone ?? '', note, ''];
    lines.push(cells.map(cell).join(';'));
    if (row % 500 === 0) lines.push('');
  }
  return { bytes: Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'), orders };
}

/** `1000.5` → `1.000,50`. */
function written(amount: number): string {
  const [whole = '', fraction] = String(amount).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '.');
  return fraction === undefined ? grouped : `${grouped},${fraction}0`;
}

function cell(text: string): string {
  return /[";\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
