/** What can be looked at, by the language of a block or the end of a file's name. */

export type Kind = "html" | "svg" | "csv" | "tsv" | "markdown" | "image" | "text";

const BY_NAME: Readonly<Record<string, Kind>> = {
  html: "html",
  htm: "html",
  xhtml: "html",
  svg: "svg",
  csv: "csv",
  tsv: "tsv",
  md: "markdown",
  markdown: "markdown",
  png: "image",
  jpg: "image",
  jpeg: "image",
  gif: "image",
  webp: "image",
  avif: "image",
};

/** @returns `text` for what has no other look than its own lines. */
export function kindOf(name: string): Kind {
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(BY_NAME, end) ? (BY_NAME[end] ?? "text") : "text";
}

/** Of a picture's bytes, whatever its name says of them. */
export const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
};
