# Makes the fixtures of workbook.test.ts with three programs that people use: openpyxl, XlsxWriter
# and LibreOffice. Run it where `openpyxl`, `XlsxWriter` and `soffice` are installed; the files
# are committed, because the programs aren't needed to run the tests.

import datetime
import html
import pathlib
import subprocess
import tempfile

import openpyxl
import xlsxwriter
from openpyxl.utils.datetime import CALENDAR_MAC_1904

HERE = pathlib.Path(__file__).parent
HEADER = ["customer", "phone", "service", "amount", "paid", "date", "duration", "note"]
DAY = datetime.date(2026, 12, 31)
MOMENT = datetime.datetime(2026, 12, 31, 14, 30)
# (value, number format); a text that begins with = is a formula.
ROWS = [
    ["Neema", "0713445210", "Kusuka", 45000, 20000.5, (DAY, "yyyy-mm-dd"), (0.125, "h:mm"), "\u200bVIP"],
    ["Zawadi", (713445211, "0000000000"), "Rangi", 3000, 2750, (MOMENT, "dd/mm/yyyy hh:mm"), (1.125, "[h]:mm"), True],
    ["Asha", "\u202a+255754000111\u202c", "Osha", "45,000.00", 0, (DAY, "d mmm yyyy"), (0.0625, "[mm]:ss"), None],
    ["Rehema", "255713445212", "Kusuka", 1500, 0, None, None, "imefichwa"],
]
HIDDEN = 5
MERGED = [
    ["Juma", "0713", "Kusuka", 1000, 0, None, None, None],
    [None, "0714", "Rangi", 2000, 0, None, None, None],
]
FORMULAS = [
    ["A", "1", "B", "=1000*2", "=1/0"],
    ["B", "1", "B", 5, "=NOSUCH(1)"],
    ["C", "1", "B", 5, '=""'],
]


def plain(cell):
    return cell if isinstance(cell, tuple) else (cell, None)


def with_openpyxl(name, mac=False):
    book = openpyxl.Workbook()
    if mac:
        book.epoch = CALENDAR_MAC_1904
    sheets = [(book.active, "Maagizo", ROWS), (book.create_sheet(), "Zilizounganishwa", MERGED)]
    sheets.append((book.create_sheet(), "Fomula", FORMULAS))
    for sheet, title, rows in sheets:
        sheet.title = title
        for r, row in enumerate([HEADER] + rows, 1):
            for c, cell in enumerate(row, 1):
                value, style = plain(cell)
                found = sheet.cell(r, c, value)
                if style:
                    found.number_format = style
    book["Maagizo"].row_dimensions[HIDDEN].hidden = True
    book["Zilizounganishwa"].merge_cells("A2:A3")
    book.save(HERE / name)


def with_xlsxwriter(name, mac=False):
    book = xlsxwriter.Workbook(HERE / name, {"date_1904": mac})
    styles = {}
    for title, rows in [("Maagizo", ROWS), ("Zilizounganishwa", MERGED), ("Fomula", FORMULAS)]:
        sheet = book.add_worksheet(title)
        for r, row in enumerate([HEADER] + rows):
            for c, cell in enumerate(row):
                value, style = plain(cell)
                form = style and styles.setdefault(style, book.add_format({"num_format": style}))
                if isinstance(value, datetime.date):
                    sheet.write_datetime(r, c, value, form)
                elif isinstance(value, str) and value.startswith("="):
                    results = {"=1/0": "#DIV/0!", "=NOSUCH(1)": "", "=1000*2": 2000, '=""': ""}
                    sheet.write_formula(r, c, value, form, results[value])
                elif isinstance(value, str):
                    sheet.write_string(r, c, value, form)
                elif value is not None:
                    sheet.write(r, c, value, form)
        if title == "Maagizo":
            sheet.set_row(HIDDEN - 1, None, None, {"hidden": True})
        if title == "Zilizounganishwa":
            sheet.merge_range("A2:A3", "Juma")
    book.close()


# LibreOffice writes what it has read from OpenDocument: it computes each formula itself.
FORMATS = """<number:date-style style:name="D"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
<number:date-style style:name="M"><number:day number:style="long"/><number:text>/</number:text><number:month number:style="long"/><number:text>/</number:text><number:year number:style="long"/><number:text> </number:text><number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/></number:date-style>
<number:time-style style:name="T"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>
<number:time-style style:name="H" number:truncate-on-overflow="false"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>
<number:time-style style:name="S" number:truncate-on-overflow="false"><number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long"/></number:time-style>
<number:boolean-style style:name="B"><number:boolean/></number:boolean-style>
<number:number-style style:name="P"><number:number number:min-integer-digits="10" number:decimal-places="0"/></number:number-style>"""
STYLE_OF = {"yyyy-mm-dd": "D", "d mmm yyyy": "D", "dd/mm/yyyy hh:mm": "M", "h:mm": "T", "[h]:mm": "H", "[mm]:ss": "S", "0000000000": "P"}


def fods_cell(cell):
    value, style = plain(cell)
    style = f' table:style-name="c{STYLE_OF[style]}"' if style else ""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        return f'<table:table-cell table:style-name="cB" office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
    if isinstance(value, (datetime.date, datetime.datetime)):
        return f'<table:table-cell{style} office:value-type="date" office:date-value="{value.isoformat()}"/>'
    if isinstance(value, (int, float)) and "cT" in style or "cH" in style or "cS" in style:
        seconds = round(value * 86400)
        time = f"PT{seconds // 3600}H{seconds % 3600 // 60}M{seconds % 60}S"
        return f'<table:table-cell{style} office:value-type="time" office:time-value="{time}"/>'
    if isinstance(value, (int, float)):
        return f'<table:table-cell{style} office:value-type="float" office:value="{value!r}"/>'
    if value.startswith("="):
        return f'<table:table-cell table:formula="of:{html.escape(value)}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{html.escape(value)}</text:p></table:table-cell>'


def with_libreoffice(name, mac=False):
    tables = []
    for title, rows in [("Maagizo", ROWS), ("Zilizounganishwa", MERGED), ("Fomula", FORMULAS)]:
        lines = []
        for r, row in enumerate([HEADER] + rows, 1):
            cells = [fods_cell(cell) for cell in row]
            if title == "Zilizounganishwa" and r == 2:
                cells[0] = cells[0].replace("<table:table-cell", '<table:table-cell table:number-rows-spanned="2" table:number-columns-spanned="1"', 1)
            if title == "Zilizounganishwa" and r == 3:
                cells[0] = "<table:covered-table-cell/>"
            hidden = ' table:visibility="collapse"' if title == "Maagizo" and r == HIDDEN else ""
            lines.append(f"<table:table-row{hidden}>{''.join(cells)}</table:table-row>")
        tables.append(f'<table:table table:name="{title}">{"".join(lines)}</table:table>')
    epoch = '<table:calculation-settings><table:null-date table:date-value="1904-01-01"/></table:calculation-settings>' if mac else ""
    styles = "".join(f'<style:style style:name="c{s}" style:family="table-cell" style:data-style-name="{s}"/>' for s in "DMTHSPB")
    spaces = " ".join(f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{u}:1.0"' for p, u in [("office", "office"), ("style", "style"), ("table", "table"), ("text", "text"), ("number", "datastyle")])
    text = f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>{FORMATS}{styles}</office:automatic-styles><office:body><office:spreadsheet>{epoch}{"".join(tables)}</office:spreadsheet></office:body></office:document>'
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, name).with_suffix(".fods")
        source.write_text(text, encoding="utf-8")
        subprocess.run(["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "xlsx", "--outdir", str(HERE), str(source)], check=True, capture_output=True)


for make, name in [(with_openpyxl, "openpyxl"), (with_xlsxwriter, "xlsxwriter"), (with_libreoffice, "libreoffice")]:
    make(f"{name}.xlsx")
    make(f"{name}-1904.xlsx", mac=True)
