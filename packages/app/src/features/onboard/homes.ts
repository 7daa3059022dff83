/** A home of nanobot, CountBot or OpenClaw that is there: offered once, before anything is asked that it may answer. */
import type { Cli } from "../../host/cli/command.ts";
import type { Prompts } from "../../host/cli/prompts.ts";
import type { OnboardTexts } from "./texts.ts";

/** What importing lends: this feature knows nothing of how it is done. */
export interface Homes {
  readonly find: (cli: Cli) => readonly { readonly kind: string; readonly path: string }[];
  /** @returns how much came, and how much stays there. */
  readonly take: (cli: Cli, path: string) => Promise<{ readonly taken: number; readonly left: number }>;
}

const PROGRAMS: Readonly<Record<string, string>> = { nanobot: "nanobot", countbot: "CountBot", openclaw: "OpenClaw" };
const NOT_NOW = "";

/** @returns undefined when the person cancelled; else whether one was taken over. */
export async function offerHomes(
  cli: Cli,
  { prompts, texts, homes }: { readonly prompts: Prompts; readonly texts: OnboardTexts; readonly homes: Homes },
): Promise<boolean | undefined> {
  const found = homes.find(cli);
  if (found.length === 0) return false;
  const chosen = await prompts.select(
    texts("home"),
    [
      ...found.map(({ kind, path }) => ({
        value: path,
        label: texts("homeTake", { program: PROGRAMS[kind] ?? kind, path }),
        hint: texts("homeHint"),
      })),
      { value: NOT_NOW, label: texts("homeNot"), hint: texts("homeLater", { path: found[0]?.path ?? "" }) },
    ],
    found[0]?.path ?? NOT_NOW,
  );
  if (chosen === undefined) return undefined;
  if (chosen === NOT_NOW) return false;
  const { taken, left } = await prompts.wait(texts("homeTaking", { path: chosen }), homes.take(cli, chosen));
  prompts.note(texts("homeTaken", { taken, left, path: chosen }));
  return true;
}
