// Tar archives made by hand, so that they can hold what no tool would write.
export interface TarEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** ustar type flag. Default `0`, a file. */
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
}

export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(entryOf), Buffer.alloc(1024)]);
}

function entryOf({ name, content = "", type = "0", mode = 0o644, link = "" }: TarEntry): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(mode.toString(8).padStart(7, "0"), 100);
  header.write(bytes.length.toString(8).padStart(11, "0"), 124);
  header.write(" ".repeat(8), 148);
  header.write(type, 156);
  header.write(link, 157, 100);
  header.write("ustar\0" + "00", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

export function paxPath(path: string): TarEntry {
  const body = ` path=${path}\n`;
  let length = body.length + 1;
  while (`${length}${body}`.length !== length) length = `${length}${body}`.length;
  return { name: "PaxHeader", type: "x", content: `${length}${body}` };
}
