// A workbook, written as spreadsheet programs do: typed cells, styles for dates, merged cells.

import { crc32 } from 'node:zlib';

/** A number with a date's style. `serial`: days since the end of 1899. */
export interface DateCell {
  readonly serial: number;
  readonly hasTime: boolean;
}
/** A formula whose result is not in the file, or is an error. */
export interface FormulaCell {
  readonly formula: string;
  readonly error?: string;
}
export type WorkbookCell = string | number | boolean | null | DateCell | FormulaCell;

export interface WorkbookSheet {
  readonly name: string;
  readonly rows: readonly (readonly WorkbookCell[])[];
  /** Such as `A1:H1`. */
  readonly merged?: readonly string[];
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
/** Indexes of `cellXfs`: 0 plain, 1 a day, 2 a day with its time. */
const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>`;

export function workbook(sheets: readonly WorkbookSheet[]): Buffer {
  const numbers = sheets.map((_, index) => index + 1);
  const files: [string, string][] = [
    [
      '[Content_Types].xml',
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`,
    ],
    ['_rels/.rels', relationships([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets
        .map(
          ({ name }, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
        )
        .join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships([
        ...numbers.map((n) => [`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`] as const),
        ['rIdStyles', 'styles', 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', STYLES],
    ...sheets.map((sheet, i): [string, string] => [
      `xl/worksheets/sheet${i + 1}.xml`,
      sheetXml(sheet),
    ]),
  ];
  return zip(files);
}

function relationships(all: readonly (readonly [id: string, type: string, target: string])[]) {
  const each = all.map(
    ([id, type, target]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
}

function sheetXml({ rows, merged = [] }: WorkbookSheet): string {
  const body = rows.map((cells, row) => {
    const inner = cells.map((cell, column) => cellXml(cell, `${letter(column)}${row + 1}`));
    return `<row r="${row + 1}">${inner.join('')}</row>`;
  });
  const merges = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join('');
  return `<worksheet xmlns="${MAIN}"><sheetData>${body.join('')}</sheetData>${merges === '' ? '' : `<mergeCells>${merges}</mergeCells>`}</worksheet>`;
}

function cellXml(cell: WorkbookCell, at: string): string {
  if (cell === null) return '';
  if (typeof cell === 'string') {
    return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  }
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if ('serial' in cell) return `<c r="${at}" s="${cell.hasTime ? 2 : 1}"><v>${cell.serial}</v></c>`;
  const { formula, error } = cell;
  const result = error === undefined ? '' : `<v>${error}</v>`;
  return `<c r="${at}"${error === undefined ? '' : ' t="e"'}><f>${escaped(formula)}</f>${result}</c>`;
}

function letter(column: number): string {
  return String.fromCharCode(65 + column);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Entries without compression. */
function zip(files: readonly (readonly [name: string, content: string])[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const [path, data] = [Buffer.from(name), Buffer.from(content)];
    // Version, flags, method, time, date; then sum, sizes and the length of the name.
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt32LE(crc32(data), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(data.length, 18);
    facts.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, path, data]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), facts, where, path);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\u0005\u0006'), end]);
}
