import { mkdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { assertOutside } from "../../src/machine/files/paths.ts";
import { temporaryFolder } from "../support/folder.ts";

test("R5 the state directory is outside the workspace, whatever its name begins with", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(folder.at("workspace"));
  symlinkSync(folder.at("workspace"), folder.at("link"));
  const at = (...names: readonly string[]): (() => void) => {
    return () => assertOutside(folder.at(...names), folder.at("workspace"));
  };
  for (const inside of [["workspace"], ["workspace/..state"], ["workspace/new/state"], ["link/state"]])
    expect(at(...inside)).toThrow("lies inside the workspace");
  for (const outside of [["state"], ["workspace2"], ["."], ["..state"]]) expect(at(...outside)).not.toThrow();
});
