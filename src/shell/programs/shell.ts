/**
 * The builtins of bash.
 */

/** Rows of the program table. */
export const SHELL = `
safe true false exit logout return break continue shift wait times umask ulimit suspend pwd type
    dirs bg echo: only reads
unknown let: evaluates its words
safe readarray mapfile jobs compgen: only reads
  -C -F -W -x: code
safe export declare typeset local readonly: only reads
  -n -i: extreme changes how a variable is read
safe hash: only reads
  -p: extreme changes where programs are found
safe =reads cd pushd: only reads
  -L: extreme may lead elsewhere than its path says
  unless (?<![^\\n])[^-<\\n] => sensitive leaves for another directory
sensitive popd: changes the directory
safe history: only reads
  -c -d -w -a -r -n -s -p: extreme changes the history of commands
safe set shopt: only reads
  words cdable_vars cdspell autocd expand_aliases extglob assoc_expand_once array_expand_once extdebug extquote
      sourcepath xpg_echo posix keyword histexpand physical privileged compat31 compat32 compat40 compat41 compat42
      compat43 compat44 patsub_replacement interactive_comments execfail: extreme changes how bash reads what follows
  -k -H -P +P -r -p: extreme changes how bash reads what follows
  match ^\\$ => extreme changes how bash reads what follows
extreme =runs_text eval unalias compopt fc: runs text, or changes what later words mean
extreme =runs_text trap alias enable bind complete: runs text, or changes what later words mean
  lists
  looks ^-[lpPV]$
unknown source .: runs a script
  runs shell
`;
