-------------------------- MODULE RicartAgrawala --------------------------
\* Ricart-Agrawala on links that overtake, one entry each, for TLC: one step a clause, as in
\* habemus.mutex.ricart_agrawala and in ricart_agrawala.pml.

EXTENDS Naturals, FiniteSets
CONSTANT N
Sites == 0 .. N - 1

VARIABLES request,   \* request[p][q]: the number of p's request that is under way to q; 0: none is
          reply,     \* reply[p][q]: whether a reply is under way
          number, highest, permissions, deferred, asked, holds
all == <<request, reply, number, highest, permissions, deferred, asked, holds>>

Init == /\ request = [p \in Sites |-> [q \in Sites |-> 0]]
        /\ reply = [p \in Sites |-> [q \in Sites |-> FALSE]]
        /\ number = [p \in Sites |-> 0] /\ highest = [p \in Sites |-> 0]
        /\ permissions = [p \in Sites |-> {}] /\ deferred = [p \in Sites |-> {}]
        /\ asked = [p \in Sites |-> FALSE] /\ holds = [p \in Sites |-> FALSE]

Ask(me) ==
    /\ ~asked[me]
    /\ asked' = [asked EXCEPT ![me] = TRUE]
    /\ number' = [number EXCEPT ![me] = highest[me] + 1]
    /\ request' = [request EXCEPT ![me] = [q \in Sites |-> IF q = me THEN 0 ELSE highest[me] + 1]]
    /\ UNCHANGED <<reply, highest, permissions, deferred, holds>>

HearRequest(me, other) ==
    LET r == request[other][me] IN
    /\ r > 0
    /\ request' = [request EXCEPT ![other][me] = 0]
    /\ highest' = [highest EXCEPT ![me] = IF r > @ THEN r ELSE @]
    /\ IF holds[me] \/ (number[me] > 0 /\ (number[me] < r \/ (number[me] = r /\ me < other)))
       THEN deferred' = [deferred EXCEPT ![me] = @ \cup {other}] /\ UNCHANGED reply
       ELSE reply' = [reply EXCEPT ![me][other] = TRUE] /\ UNCHANGED deferred
    /\ UNCHANGED <<number, permissions, asked, holds>>

HearReply(me, other) ==
    LET granted == permissions[me] \cup {other} IN
    /\ reply[other][me]
    /\ reply' = [reply EXCEPT ![other][me] = FALSE]
    /\ permissions' = [permissions EXCEPT ![me] = granted]
    /\ IF granted = Sites \ {me}
       THEN number' = [number EXCEPT ![me] = 0] /\ holds' = [holds EXCEPT ![me] = TRUE]
       ELSE UNCHANGED <<number, holds>>
    /\ UNCHANGED <<request, highest, deferred, asked>>

Release(me) ==
    /\ holds[me]
    /\ holds' = [holds EXCEPT ![me] = FALSE]
    /\ reply' = [reply EXCEPT ![me] = [q \in Sites |-> @[q] \/ q \in deferred[me]]]
    /\ permissions' = [permissions EXCEPT ![me] = {}]
    /\ deferred' = [deferred EXCEPT ![me] = {}]
    /\ UNCHANGED <<request, number, highest, asked>>

Next == \E me \in Sites : \/ Ask(me) \/ Release(me)
                          \/ \E other \in Sites \ {me} : HearRequest(me, other) \/ HearReply(me, other)
Spec == Init /\ [][Next]_all

\* Never two inside; no run ends before everybody was inside.
Exclusion == Cardinality({p \in Sites : holds[p]}) <= 1
AtEnd == (\A p, q \in Sites : asked[p] /\ ~holds[p] /\ request[p][q] = 0 /\ ~reply[p][q]) => \A p \in Sites : number[p] = 0
=============================================================================
