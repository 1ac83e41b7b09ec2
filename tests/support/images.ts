/**
 * Images made for tests: small ones that are whole, and the parts of which hostile ones are made.
 */
import { crc32, deflateSync } from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of texts (a letter each) and bytes, one after the other. */
export function bytesOf(...parts: readonly (string | Uint8Array | readonly number[])[]): Bytes {
  const all = parts.map((part) =>
    typeof part === "string" ? [...part].map((sign) => sign.charCodeAt(0)) : [...part]
  );
  return new Uint8Array(all.flat());
}

/** A number as four bytes, the greatest first. */
export function uint32(value: number): readonly number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}

const SIGNATURE = "\x89PNG\r\n\x1a\n";

function chunk(type: string, data: Uint8Array): Bytes {
  const body = bytesOf(type, data);
  return bytesOf(uint32(data.length), body, uint32(crc32(body)));
}

/** A PNG whose header promises so many pixels of three colours, and whose data is `rows`. */
export function makePng(
  { width, height, rows }: { width: number; height: number; rows?: Uint8Array },
): Bytes {
  const header = bytesOf(uint32(width), uint32(height), [8, 2, 0, 0, 0]);
  const data = rows ?? new Uint8Array((width * 3 + 1) * height)
    .map((_, index) => index % (width * 3 + 1) === 0 ? 0 : index & 0xff);
  return bytesOf(
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(data)),
    chunk("IEND", new Uint8Array()),
  );
}

/** One pixel. */
export const TINY_GIF: Bytes = Uint8Array.fromBase64(
  "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
);

/** One pixel. */
export const TINY_WEBP: Bytes = Uint8Array.fromBase64(
  "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
);

/** One pixel. */
export const TINY_JPEG: Bytes = Uint8Array.fromBase64(
  "/9j/4AAQSkZJRgABAgAAAQABAAD/wAARCAABAAEDAREAAhEBAxEB/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj" +
    "0wQmBVZWRfVV1baniZgWpxkHNbXYW1hpCeo6utq2eAvMm6pseZqKuk/9sAQwEcHh4oIyhOKytOpG5dbqSkpKSkpKSk" +
    "pKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAw" +
    "QFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkK" +
    "FhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmq" +
    "KjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEB" +
    "AQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRob" +
    "HBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOE" +
    "hYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+P" +
    "n6/9oADAMBAAIRAxEAPwDNrmPbP//Z",
);

/** A PDF with a page for each text; `streams` replaces what is drawn on them. */
export function makePdf(
  { pages, stream = drawText, count = pages.length }: {
    pages: readonly string[];
    /** The content of a page: its dictionary's further entries, and its bytes. */
    stream?: (text: string) => { readonly entries?: string; readonly data: Uint8Array | string };
    /** How many pages it says it has. */
    count?: number;
  },
): Bytes {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((text, index) => {
      const { entries = "", data } = stream(text);
      const bytes = bytesOf(data);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
        bytesOf(`<< /Length ${bytes.length} ${entries} >>\nstream\n`, bytes, "\nendstream"),
      ];
    }),
  ];
  const parts = objects.map((one, index) => bytesOf(`${index + 1} 0 obj\n`, one, "\nendobj\n"));
  return bytesOf("%PDF-1.4\n", ...parts, "trailer << /Root 1 0 R >>\n%%EOF\n");
}

function drawText(text: string) {
  return { data: `BT /F1 12 Tf 72 720 Td (${text}) Tj ET` };
}
