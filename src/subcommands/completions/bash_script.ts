/**
 * The script for bash. The library's own evaluates the words that are typed and the candidates, and works only
 * with a package that many machines lack; this one does neither.
 */

/** Asks ally at each Tab; where it has nothing to offer, bash completes files. */
export const BASH_SCRIPT = `# bash completion for ally
_ally_complete() {
    local line=\${COMP_LINE:0:COMP_POINT} words=() current prefix value rest
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current=\${words[\${#words[@]} - 1]}
    [[ $current == --*=* ]] && current=\${current#*=}
    # bash replaces only what follows the last "=" or ":".
    prefix=\${current%"\${current##*[=:]}"}
    COMPREPLY=()
    while IFS=$'\\t' read -r value rest; do
        [[ $value == :* || $value != "$current"* ]] || COMPREPLY+=("\${value#"$prefix"}")
    done < <(ally complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _ally_complete ally`;
