import type { Quirks, WireKind } from "@margay/core";
export interface Vendor { readonly id: string; readonly name: string; readonly api: WireKind; readonly baseUrl: string; readonly keys: readonly string[]; readonly defaultModel: string; readonly local?: true; readonly quirks?: Quirks }
export const VENDORS: readonly Vendor[] = [];
export function findVendor(id: string): Vendor | undefined { return VENDORS.find((vendor) => vendor.id === id); }
