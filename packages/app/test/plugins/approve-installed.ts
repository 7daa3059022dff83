/** The word of a person, as `margay plugin add` takes it when it has shown what it found. */
import { locatePackage } from "../../src/models/plugin-locate.ts";
import { readWithDependencies } from "../../src/models/plugins/package-content.ts";
import { pin } from "../../src/models/plugins/pin.ts";

/** Of a provider or a channel. @param name of its package, which lies in the home. */
export async function approveInstalled(home: string, name: string): Promise<void> {
  const place = locatePackage(name, { home });
  if (place === undefined) throw new Error(`${name} is not installed in ${home}`);
  await pin(place, readWithDependencies(place), Date.now());
}
