/** What `/help` says, as platforms want it: one line a command. Pure. */
import type { CommandInfo } from "../../contract/channel.ts";

type Help = Readonly<Record<"help" | "groupHelp", string>>;

/** @param texts a line for each command, as people read it: `/name [words] – what it does`, several names with a comma between them. */
export function commandList(texts: (language: "en" | "zh-CN") => Help): readonly CommandInfo[] {
  const english = linesOf(texts("en"));
  const chinese = describedIn(linesOf(texts("zh-CN")));
  return [...describedIn(english)].map(([name, en]) => ({
    name,
    description: { en, "zh-CN": chinese.get(name) ?? en },
    ...(new RegExp(`(?:^|, |\`)/${name} [^–]`, "m").test(english) && { words: true }),
  }));
}

function linesOf({ help, groupHelp }: Help): string {
  return `${help}\n${groupHelp}`;
}

/** Of a command that has several lines the first, as far as its first half sentence. */
function describedIn(help: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of help.split("\n")) {
    const [head = "", what = ""] = line.split(" – ");
    const description = (what.split(/[;；]/)[0] ?? "").replaceAll("`", "");
    for (const [, name = ""] of head.matchAll(/(?:^|, |、)\/([a-z-]+)/g))
      if (!found.has(name)) found.set(name, description);
  }
  return found;
}
