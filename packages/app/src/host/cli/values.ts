/** Numbers and times as commands read and show them. */
import { RuntimeError } from "@margay/core";
import { type Cli, type Input, textOption } from "./command.ts";
import { safeText } from "./output.ts";

/** @throws RuntimeError `usage.wrong` when it is not a positive whole number. */
export function numberOption(cli: Cli, input: Input, name: string): number | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RuntimeError(
    "usage.wrong",
    cli.t("usage.invalid", {
      name: `--${name}`,
      value: safeText(text),
      expected: cli.t("kind.integer", { min: 1, max: 999_999_999 }),
      command: "margay",
    }),
  );
}

/** UTC, as stored. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 19);
}
