// What the search tool and its worker thread tell each other.

export interface SearchRequest {
  /** The regular expression and its flags. */
  readonly pattern: string;
  readonly flags: string;
  /** Undefined: every file. */
  readonly glob: string | undefined;
  readonly limit: number;
  /** Characters of the whole answer. */
  readonly maxChars: number;
  /** A directory that the tool holds open, as a path; on Linux by its descriptor, which threads share. */
  readonly directory: string;
  /** Where it is in the workspace: a prefix of the paths shown, empty or ending with `/`. */
  readonly prefix: string;
  /** Only this entry of the directory. */
  readonly only: string | undefined;
  /** Another directory that is searched as a part of this one, as a path like it. */
  readonly also: { readonly directory: string; readonly prefix: string } | undefined;
  /** Paths of directories that are not entered. */
  readonly unsearched: readonly string[];
  /** Of files below this prefix the answer says what was read. */
  readonly hashedBelow: string | undefined;
  /** .gitignore files above the directory. */
  readonly ignoreFiles: readonly { readonly base: string; readonly text: string }[];
  /** `dev:ino` of what is never opened. */
  readonly forbidden: readonly string[];
  /** Files with another name may lie outside: left out. */
  readonly skipLinked: boolean;
  /** One number; not 0: stop and tell what there is. */
  readonly stop: Int32Array;
}

export interface SearchAnswer {
  readonly lines: readonly string[];
  /** The files they are of, each once. */
  readonly files: readonly string[];
  /** SHA-256 of what was searched, by path: where that was asked for. */
  readonly hashes: ReadonlyMap<string, string>;
  /** More matches exist than were asked for. */
  readonly more: boolean;
  /** Undefined: everything was looked at. */
  readonly stopped: "time" | "entries" | undefined;
  readonly entries: number;
  /** Files over the size that is searched, or that could not be opened. */
  readonly skipped: number;
}
