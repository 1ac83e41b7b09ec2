/**
 * Which variables of an environment hold secrets, by their names. Commands do not see them, and their values are
 * masked.
 */

/** What stands in the names of such variables. */
export const SECRET_VARIABLE =
  /KEY|TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|COOKIE|_(?:AUTH|PAT|PWD)$/i;
