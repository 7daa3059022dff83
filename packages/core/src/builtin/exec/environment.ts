// The environment of a command: a fixed list of names, so that no key of margay's own is ever in it.

/** Values that margay passes on when it has them. */
const ALWAYS = ["HOME", "LANG", "TERM", "PATH", "TZ"] as const;
const DEFAULTS: Readonly<Record<string, string>> = {
  LANG: "C.UTF-8",
  // No colors and no cursor movements in text that a model reads.
  TERM: "dumb",
  PATH: "/usr/local/bin:/usr/bin:/bin",
};

/**
 * @param own margay's environment.
 * @param names `tools.exec.env`: passed on when set; margay's own variables never are.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  pathAppend: string,
): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const name of [...ALWAYS, ...names.filter((listed) => !listed.startsWith("MARGAY_"))]) {
    const value = name === "TERM" ? undefined : own[name];
    const chosen = value === undefined || value === "" ? DEFAULTS[name] : value;
    if (chosen !== undefined) environment[name] = chosen;
  }
  if (pathAppend !== "") environment["PATH"] = `${environment["PATH"]}:${pathAppend}`;
  return environment;
}
