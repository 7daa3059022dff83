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
  /** More matches exist than were asked for. */
  readonly more: boolean;
  /** Undefined: everything was looked at. */
  readonly stopped: "time" | "entries" | undefined;
  readonly entries: number;
  /** Files over the size that is searched, or that could not be opened. */
  readonly skipped: number;
}
