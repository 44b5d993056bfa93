// A workbook, written as spreadsheet programs do: typed cells, styles for dates, merged cells.

import { strToU8, zipSync } from 'fflate';

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
  const types = `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`;
  const names = sheets.map(
    ({ name }, i) => `<sheet name="${escaped(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  );
  const files: Record<string, string> = {
    '[Content_Types].xml': types,
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${names.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...sheets.map(
        (_, i) => [`rId${i + 1}`, 'worksheet', `worksheets/sheet${i + 1}.xml`] as const,
      ),
      ['rIdStyles', 'styles', 'styles.xml'],
    ]),
    'xl/styles.xml': STYLES,
  };
  for (const [i, sheet] of sheets.entries()) {
    files[`xl/worksheets/sheet${i + 1}.xml`] = sheetXml(sheet);
  }
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)]);
  return Buffer.from(zipSync(Object.fromEntries(entries)));
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
