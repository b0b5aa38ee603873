/// What each shell reads to complete `todo`. The scripts ask `todo complete-words` and know nothing else; a candidate is data to them, and
/// never anything that is run.
enum CompletionScript: String {
  case bash
  case zsh
  case fish

  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static let bashText = ##"""
    # bash completion for todo.  Candidates are data: no eval, no compgen -W.

    # Sets $reply to $1 quoted, to follow the open quote $2 (or none); starts with
    # that quote again (readline does not double it) and leaves it open.
    __todo_quote() {
      local v=$1 c
      if [[ -z $2 || $v == *[[:cntrl:]]* ]]; then
        printf -v reply '%s%q%s' "$2$2" "$v" "$2"
      elif [[ $2 == \' ]]; then
        c="'\\''" reply="'${v//"'"/"$c"}"
      else
        for c in \\ \" \$ \`; do v=${v//"$c"/"\\$c"}; done
        c='"\!"' # "\!" would keep its backslash: step out of the quotes
        reply="\"${v//!/"$c"}"
      fi
    }

    _todo() {
      local line=${COMP_LINE:0:COMP_POINT} cut=$((COMP_POINT - ${#2})) i c n v d reply
      local w='' q='' in='' redir='' live='' kept='' kq='' klive='' lcp='' differ=''
      local words=() vals=() shown=()
      COMPREPLY=()
      # COMP_WORDS is split at : = @, so split here.  readline replaces only $2;
      # "kept" is what stands before it in the word, "kq" the quote open there,
      # "live" says that the shell would still expand something in it.
      for ((i = 0; i <= ${#line}; i++)); do
        ((i <= cut)) && kept=$w kq=$q klive=$live
        c=${line:i:1}
        case $q$c in
          "''" | '""') q='' ;;
          "'"?*) w+=$c ;;
          \\ | '"\')
            n=${line:i+1:1}; ((++i))
            [[ $q && $n != [\"\$\`\\] ]] && n=${n:+\\$n}
            w+=$n in=1 ;;
          '"'?) [[ $c == [\$\`!] ]] && live=1; w+=$c ;;
          [\'\"]) q=$c in=1 ;;
          [$' \t\n<>&|;'])
            [[ $c == [\<\>] && $w != *[!0-9]* ]] && in='' # 2>file
            [[ $in && -z $redir ]] && words+=("$w")
            [[ $in || $c != [$' \t\n'] ]] && redir=''
            [[ $c == [\<\>] ]] && redir=1
            w='' in='' live='' ;;
          ?) [[ $c == [\$\`!~*?{[] ]] && live=1; w+=$c in=1 ;;
        esac
      done
      [[ $redir ]] && { compopt -o default; return; }
      [[ $klive ]] && return
      while IFS= read -r line || [[ $line ]]; do
        [[ $line == :files ]] && { compopt -o default; COMPREPLY=(); return; }
        v=${line%%$'\t'*} d=''
        [[ $line == *$'\t'* ]] && d=${line#*$'\t'}
        # [ ], because [[ ]] would obey nocasematch
        [ -n "$v" ] && [ "${v:0:${#kept}}" = "$kept" ] || continue
        [[ ${vals+x} ]] || lcp=$v
        [ "$v" = "${vals[0]-$v}" ] || differ=1
        while [ "${v:0:${#lcp}}" != "$lcp" ]; do lcp=${lcp%?}; done
        vals+=("$v") v=${v# }${d:+  -- $d} v=${v//[[:cntrl:]]/?}
        shown+=("${v:0:${COLUMNS:-80}-2}")
      done < <(command todo complete-words -- "${words[@]:1}" "$w" 2>/dev/null </dev/null)
      [[ ${vals+x} ]] || return 0
      if [[ -z $differ || $COMP_TYPE == 37 || $COMP_TYPE == 42 ]]; then
        # one value, or menu-complete / insert-completions
        [[ -z $differ ]] && vals=("${vals[0]}")
        [[ -z $differ && $lcp == *[/=] ]] && compopt -o nospace
        for v in "${vals[@]}"; do
          __todo_quote "${v:${#kept}}" "$kq"
          COMPREPLY+=("$reply$kq")
        done
      elif [[ $COMP_TYPE != 63 && ${#lcp} -ge ${#w} && $lcp != "$w" ]]; then
        # readline inserts what these two have in common: never half an escape
        __todo_quote "${lcp:${#kept}}" "$kq"
        COMPREPLY=("$reply" "$reply...")
      else # list only; the blank entry makes the common prefix empty
        COMPREPLY=("${shown[@]}")
        [[ $COMP_TYPE == 63 ]] || COMPREPLY+=(' ')
      fi
    }
    complete -o nosort -F _todo todo
    """##

  private static let zshText = ##"""
    #compdef todo
    # zsh completion for todo: autoloaded from fpath, or source <(todo completions zsh)

    # No "emulate -L zsh": compadd decides by the options in force (extendedglob,
    # banghist, ...) what has to be quoted, and _main_complete has set sane ones.
    _todo() {
      local line v d q=$compstate[quote]
      local -a vals shown opts match mbegin mend
      local MATCH MBEGIN MEND cur=${(Q)${:-$q$PREFIX${q#\$}}} # inside q, PREFIX lacks it
      while IFS= read -r line || [[ -n $line ]]; do
        [[ $line == :files ]] && { _files; return }
        v=${line%%$'\t'*} d=
        [[ $line == *$'\t'* ]] && { d=${line#*$'\t'}; opts=(-l) }
        [[ -n $v ]] || continue
        vals+=("$v")
        v="$v${d:+  -- $d}" v=${v//[[:cntrl:]]/?}
        shown+=("${v[1,COLUMNS-2]}")
      done < <(command todo complete-words -- "${(@Q)words[2,CURRENT-1]}" "$cur" 2>/dev/null </dev/null)
      (( $#vals )) || return 1
      [[ ${#${(u)vals}} == 1 && $vals[1] == *[/=] ]] && opts+=(-S '')
      if [[ $q == \" && "$vals" == *\$\'* ]]; then
        # In open double quotes compadd leaves $'...' alone, and the next TAB
        # (expand-or-complete) would expand it: quote by hand.
        vals=("${(@)vals//(#m)[\\\"\$\`]/\\$MATCH}")
        [[ -o banghist ]] && vals=("${(@)vals//$histchars[1]/\\$histchars[1]}")
        opts+=(-U -Q)
      fi
      # no -Q: compadd quotes the values itself; -V keeps the order of the program;
      # -d strings are printed as they are (no % or : has a meaning, unlike _describe)
      compadd "${opts[@]}" -V todo -d shown -a vals
    }

    if [[ $funcstack[1] == _todo ]]; then
      _todo "$@"
    elif (( $+functions[compdef] )); then
      compdef _todo todo
    fi
    """##

  private static let fishText = ##"""
    # fish completion for todo
    function __todo_complete
        set -l words (commandline -opc)
        while string match -qr '^\w+=' -- $words[1]
            set -e words[1] # VAR=value todo ...
        end
        set -l token (commandline -ct)
        # a token with an open quote cannot be unescaped until the quote is closed
        set -l cur (string unescape -- $token; or string unescape -- $token\"; or string unescape -- $token\')
        # fish quotes the values itself, except that it leaves a leading ~ bare, and
        # prints control characters raw (C0 inside quotes, C1 always): not offered
        set -l never '[\x{80}-\x{9f}]'
        if string match -qr '["\']' -- $token
            set never '[\x{0}-\x{8}\x{a}-\x{1f}\x{7f}-\x{9f}]'
        else if not string match -qr '^\\\\' -- $token
            set never '^~|[\x{80}-\x{9f}]'
        end
        for line in (command todo complete-words -- $words[2..-1] "$cur" 2>/dev/null </dev/null)
            if test "$line" = :files
                __fish_complete_path (string escape -- "$cur")
                return
            end
            # fish splits at the first TAB; the description goes to the terminal as it is
            set -l parts (string split -m 1 \t -- $line)
            string match -qr $never -- $parts[1]; and continue
            printf '%s\t%s\n' $parts[1] (string replace -ar '[\x{0}-\x{1f}\x{7f}-\x{9f}]' '?' -- $parts[2])
        end
    end
    complete -c todo -f -k -a '(__todo_complete)'
    """##
}
