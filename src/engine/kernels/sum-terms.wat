;; Sums of a text's terms: their rows by factors, and their weights at the dimensions of their n-grams.
;;
;; A record is a term: its weight, its scale, where its n-grams end, nothing, its row, its n-grams. An entry of 32 bytes is a term of the text: where its record
;; begins, nothing, what its occurrences count; then its factor and its whole weight, which are computed here.
;; `scripts/build-kernels.ts` makes sum-terms-module.ts of this; a test assembles it again and compares. `createPlainTermSums` in term-sums.ts says the same
;; in TypeScript.
(module
  (memory (export "memory") 1)

  ;; Writes both sums; $stride is a multiple of 16. $unit is 2^32. Every product and sum of whole numbers is below 2^53.
  (func (export "sum") (param $entries i32) (param $end i32) (param $stride i32) (param $unit f64) (param $half f64) (param $direction i32) (param $hashed i32) (param $forms_end i32)
    (local $dimension i32) (local $entry i32) (local $record i32) (local $row i32) (local $factor v128) (local $eight v128) (local $four v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    (local $gram i32) (local $last i32) (local $sum i32) (local $weight f64) (local $whole f64) (local $floor f64)

    ;; A whole number is the floor, or one more from a half on, as Math.round has it.
    local.get $entries  local.set $entry
    block $doneWeights
      loop $nextWeight
        local.get $entry  local.get $end  i32.ge_u  br_if $doneWeights
        local.get $entry  i32.load  local.set $record
        local.get $entry  f64.load offset=8  local.get $record  f64.load  f64.mul  local.set $weight
        local.get $weight  local.get $unit  f64.mul  local.tee $whole  f64.floor  local.set $floor
        local.get $entry
        local.get $floor  local.get $whole  local.get $floor  f64.sub  local.get $half  f64.ge  f64.convert_i32_u  f64.add
        f64.store offset=24
        local.get $weight  local.get $record  f64.load offset=8  f64.mul  local.get $unit  f64.mul  local.tee $whole  f64.floor  local.set $floor
        local.get $entry
        local.get $floor  local.get $whole  local.get $floor  f64.sub  local.get $half  f64.ge  f64.convert_i32_u  f64.add
        f64.store offset=16
        local.get $entry  i32.const 32  i32.add  local.set $entry
        br $nextWeight
      end
    end

    ;; Sixteen dimensions at a time.
    block $doneRows
      loop $stretch
        local.get $dimension  local.get $stride  i32.ge_u  br_if $doneRows
        v128.const i64x2 0 0  local.tee $a  local.tee $b  local.tee $c  local.tee $d  local.tee $e  local.tee $f  local.tee $g  local.set $h
        local.get $entries  local.set $entry
        block $addedRows
          loop $nextRows
            local.get $entry  local.get $end  i32.ge_u  br_if $addedRows
            local.get $entry  i32.load  i32.const 24  i32.add  local.get $dimension  i32.add  local.set $row
            local.get $entry  v128.load64_splat offset=16  local.set $factor

            local.get $row  v128.load8x8_s  local.tee $eight  i32x4.extend_low_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $a  f64x2.add  local.set $a
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $b  f64x2.add  local.set $b
            local.get $eight  i32x4.extend_high_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $c  f64x2.add  local.set $c
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $d  f64x2.add  local.set $d

            local.get $row  v128.load8x8_s offset=8  local.tee $eight  i32x4.extend_low_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $e  f64x2.add  local.set $e
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $f  f64x2.add  local.set $f
            local.get $eight  i32x4.extend_high_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $g  f64x2.add  local.set $g
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $h  f64x2.add  local.set $h

            local.get $entry  i32.const 32  i32.add  local.set $entry
            br $nextRows
          end
        end
        local.get $direction  local.get $a  v128.store
        local.get $direction  local.get $b  v128.store offset=16
        local.get $direction  local.get $c  v128.store offset=32
        local.get $direction  local.get $d  v128.store offset=48
        local.get $direction  local.get $e  v128.store offset=64
        local.get $direction  local.get $f  v128.store offset=80
        local.get $direction  local.get $g  v128.store offset=96
        local.get $direction  local.get $h  v128.store offset=112
        local.get $direction  i32.const 128  i32.add  local.set $direction
        local.get $dimension  i32.const 16  i32.add  local.set $dimension
        br $stretch
      end
    end

    ;; Each n-gram has 16 bits that say how many bytes its sum lies behind $hashed.
    local.get $hashed  local.set $sum
    block $cleared
      loop $clear
        local.get $sum  local.get $forms_end  i32.ge_u  br_if $cleared
        local.get $sum  v128.const i64x2 0 0  v128.store
        local.get $sum  i32.const 16  i32.add  local.set $sum
        br $clear
      end
    end
    local.get $entries  local.set $entry
    block $doneGrams
      loop $nextGrams
        local.get $entry  local.get $end  i32.ge_u  br_if $doneGrams
        local.get $entry  i32.load  local.tee $record  local.get $stride  i32.add  i32.const 24  i32.add  local.set $gram
        local.get $record  i32.load offset=16  local.set $last
        local.get $entry  f64.load offset=24  local.set $weight
        block $addedGrams
          loop $more
            local.get $gram  local.get $last  i32.ge_u  br_if $addedGrams
            local.get $gram  i32.load16_u  local.get $hashed  i32.add  local.tee $sum
            local.get $sum  f64.load  local.get $weight  f64.add  f64.store
            local.get $gram  i32.const 2  i32.add  local.set $gram
            br $more
          end
        end
        local.get $entry  i32.const 32  i32.add  local.set $entry
        br $nextGrams
      end
    end
  )
)
