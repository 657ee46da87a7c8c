----------------------- MODULE ChangRobertsUnordered -----------------------
\* Chang-Roberts without the announcement on links that overtake, for TLC: one step a clause, as in quiet_ring.py and in
\* chang_roberts_unordered.pml. Ring is the sequence of the ids, clockwise.

EXTENDS Naturals, Sequences, FiniteSets
CONSTANT Ring
Places == 1 .. Len(Ring)
After(place) == IF place = Len(Ring) THEN 1 ELSE place + 1

VARIABLES inbox, role

Init == inbox = [p \in Places |-> {}] /\ role = [p \in Places |-> "new"]

Start(p) ==
    /\ role[p] = "new"
    /\ role' = [role EXCEPT ![p] = "candidate"]
    /\ inbox' = [inbox EXCEPT ![After(p)] = @ \cup {Ring[p]}]

\* A link is a set: no id is on one twice.
Receive(p, id) ==
    LET taken == [inbox EXCEPT ![p] = @ \ {id}]
        passed == [taken EXCEPT ![After(p)] = @ \cup {id}] IN
    /\ role[p] # "new"
    /\ CASE role[p] = "lost" -> inbox' = passed /\ UNCHANGED role
         [] role[p] = "won" -> inbox' = taken /\ UNCHANGED role
         [] id > Ring[p] -> inbox' = passed /\ role' = [role EXCEPT ![p] = "lost"]
         [] id < Ring[p] -> inbox' = taken /\ UNCHANGED role
         [] OTHER -> inbox' = taken /\ role' = [role EXCEPT ![p] = "won"]

Next == \E p \in Places : Start(p) \/ \E id \in inbox[p] : Receive(p, id)
Spec == Init /\ [][Next]_<<inbox, role>>

\* Whoever wins is the only one, and all others know; no run ends before everybody has lost or won.
Exclusion == \A p \in Places : role[p] = "won" => \A q \in Places \ {p} : role[q] = "lost"
AtEnd == (\A p \in Places : inbox[p] = {} /\ role[p] # "new") => \A p \in Places : role[p] \in {"lost", "won"}
=============================================================================
