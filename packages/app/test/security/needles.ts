// What somebody who holds a file, an answer or a stream would look for: a secret raw, in JSON, base64, hex or a URL.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export function needlesOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    // What the characters around it decide too is cut off.
    return text.slice(shift === 0 ? 0 : shift + 1, (shift + bytes.length) % 3 === 0 ? undefined : -1);
  });
  const hex = bytes.toString("hex");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ "": secret }).toString().slice(1),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ].filter((needle, at, all) => all.indexOf(needle) === at);
}

/** Everything that came out of one place. */
export interface Sink {
  readonly name: string;
  readonly bytes: string;
}

/** `secret in sink`, for each that is found. */
export function leaks(sinks: readonly Sink[], secrets: Readonly<Record<string, string>>): readonly string[] {
  const wanted = Object.entries(secrets).flatMap(([name, secret]) =>
    needlesOf(secret).map((needle) => ({ name, needle })),
  );
  return sinks.flatMap(({ name: sink, bytes }) =>
    wanted.flatMap(({ name, needle }) => {
      const at = bytes.indexOf(needle);
      return at < 0 ? [] : [`${name} in ${sink}: ${bytes.slice(Math.max(0, at - 60), at)}⟨${needle.slice(0, 4)}…⟩`];
    }),
  );
}

/** Every file below, as bytes. @param skip Paths relative to `directory`. */
export function filesBelow(directory: string, skip: (path: string) => boolean): readonly Sink[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => !skip(path) && statSync(join(directory, path), { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ name: `file ${path}`, bytes: readFileSync(join(directory, path), "latin1") }));
}
