/** What a first set-up borrows: the homes that are there, and taking one over. */
import type { Cli } from "../../../host/cli/command.ts";
import { findHomes, type FoundHome } from "./find-homes.ts";

export const HOMES = {
  find: ({ environment }: Cli): readonly FoundHome[] => findHomes(environment.userHome),
  take: async (cli: Cli, path: string): Promise<{ readonly taken: number; readonly left: number }> => {
    const { importHome, readHome } = await import("../service.ts");
    const source = await readHome(cli, path);
    if (source === undefined) return { taken: 0, left: 0 }; // gone meanwhile
    const { items } = await importHome(cli, source, () => {});
    const count = (...all: readonly string[]): number => items.filter(({ status }) => all.includes(status)).length;
    return { taken: count("add", "merge"), left: count("skip", "conflict") };
  },
};
